/** The chat page: models side by side, and the message box and settings below. */

// biome-ignore-all lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll the conversation

import type { Signal } from "@preact/signals";
import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ChatPartnerView, ChatView } from "../../src/shared/chat.ts";
import { plural } from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { Toolbar } from "../controls/toolbar.tsx";
import { chatStrings as text } from "../strings/chat.ts";
import { UntrustedText } from "../text/untrustedText.tsx";
import { visibleLine } from "../text/visible.ts";
import type { ChatProps } from "./chatModel.ts";
import { Composer } from "./composer.tsx";
import { Partner } from "./partner.tsx";
import { SettingsBar } from "./settingsBar.tsx";

export function ChatApp({ chat }: ChatProps) {
  const view = chat.view.value;
  return (
    <main class="fill stack">
      {view === null ? null : <Head chat={chat} view={view} />}
      {view === null ? <div class="pane" /> : <Body chat={chat} view={view} />}
      <footer class="chat-foot stack">
        <Failure chat={chat} />
        <Composer chat={chat} />
        {view === null ? null : <SettingsBar chat={chat} view={view} />}
      </footer>
    </main>
  );
}

interface ViewProps extends ChatProps {
  readonly view: ChatView;
}

function Head({ chat, view }: ViewProps) {
  const { partners, task, notes } = view;
  const [only] = partners;
  const title = partners.length === 1 && only !== undefined ? visibleLine(only.label) : text.title;
  return (
    <header class="chat-head">
      <div class="chat-title wrap">
        <h1>{title}</h1>
        {task === null ? null : <span class="fact">{l10n.t("task: {0}", visibleLine(task))}</span>}
        <Toolbar label={l10n.t("Conversation")}>
          <Button
            class="secondary"
            label={l10n.t("Beside…")}
            title={l10n.t("Starts over to compare this model with others")}
            onClick={() => chat.begin("beside")}
          />
          <Button
            class="secondary"
            label={l10n.t("New…")}
            title={l10n.t("Starts over, freely or with a task")}
            onClick={() => chat.begin("other")}
          />
          {partners.some(hasThought) ? (
            <Toggle
              label={l10n.t("Thinking")}
              what={l10n.t("Shows what the models think")}
              isOn={chat.isThinkingOpen}
            />
          ) : null}
          <Toggle
            label={l10n.t("As written")}
            what={l10n.t("Shows each turn with its control tokens")}
            isOn={chat.isRaw}
          />
        </Toolbar>
      </div>
      {notes.length === 0 ? null : (
        <details class="chat-notes">
          <summary>{plural(notes.length, "{0} note", "{0} notes")}</summary>
          <ul>
            {notes.map((note, index) => (
              <li key={index}>
                <UntrustedText text={note} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

function hasThought({ entries, candidates }: ChatPartnerView): boolean {
  const turns = entries.flatMap((entry) => (entry.kind === "turn" ? [entry.turn] : []));
  return [...turns, ...candidates].some(({ thinking }) => thinking !== null);
}

interface ToggleProps {
  readonly label: string;
  readonly what: string;
  readonly isOn: Signal<boolean>;
}

function Toggle({ label, what, isOn }: ToggleProps) {
  return (
    <Button
      class="toggle"
      label={label}
      title={what}
      aria-pressed={isOn.value}
      onClick={() => {
        isOn.value = !isOn.value;
      }}
    />
  );
}

/** Follows the conversation unless the person has scrolled up. */
function Body({ chat, view }: ViewProps) {
  const region = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = region.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [view]);
  return (
    <section
      class="pane"
      ref={region}
      tabIndex={0}
      aria-label={text.title}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - END_PX;
      }}
    >
      <div class="partners" data-count={view.partners.length}>
        {view.partners.map((partner, index) => (
          <Partner
            key={index}
            chat={chat}
            partner={partner}
            number={view.partners.length === 1 ? null : index + 1}
          />
        ))}
      </div>
    </section>
  );
}

const END_PX = 60;

function Failure({ chat }: ChatProps) {
  const failure = chat.failure.value;
  return (
    <div role="alert">
      {failure === null ? null : (
        <p class="chat-failure">
          <span class="error">
            <UntrustedText text={failure.message} />
          </span>
          {failure.isOver ? (
            <Button
              class="secondary"
              label={l10n.t("Begin again")}
              onClick={() => chat.begin("again")}
            />
          ) : null}
        </p>
      )}
    </div>
  );
}
