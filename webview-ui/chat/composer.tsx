/** The input of the chat page: a message to all models, or an answer to a tool call in place of the tool. */

import * as l10n from "@vscode/l10n";
import type { ChatView } from "../../src/shared/chat.ts";
import { Button } from "../controls/button.tsx";
import { chatStrings as text } from "../strings/chat.ts";
import { visibleLine } from "../text/visible.ts";
import type { ChatModel, ChatProps } from "./chatModel.ts";
import { type ChatState, chatState, isBusy, undoneMessage } from "./chatState.ts";

const INPUT_ID = "message";

/** Call before the focused control disappears. */
export function focusComposer(): void {
  document.getElementById(INPUT_ID)?.focus();
}

export function Composer({ chat }: ChatProps) {
  const view = chat.view.value;
  const state = view === null || chat.failure.value?.isOver === true ? null : chatState(view);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send(chat, state);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || state === null || !isBusy(state)) return;
        event.preventDefault();
        chat.act({ action: "stop" });
      }}
    >
      <p class="chat-status" role="status">
        {statusText(chat, state)}
      </p>
      <div class="composer-line">
        <Input chat={chat} state={state} />
        <Buttons chat={chat} view={view} state={state} />
      </div>
    </form>
  );
}

interface StateProps extends ChatProps {
  /** Null before the start and after the end. */
  readonly state: ChatState | null;
}

function Input({ chat, state }: StateProps) {
  const label =
    state?.kind === "asked"
      ? l10n.t("Answer instead of the tool {0}", visibleLine(state.tool))
      : l10n.t("Message");
  return (
    <textarea
      id={INPUT_ID}
      rows={3}
      value={chat.draft.value}
      aria-label={label}
      placeholder={label}
      title={l10n.t("Enter sends, Shift+Enter adds a line, Escape stops.")}
      onInput={({ currentTarget: { value } }) => chat.write(value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        send(chat, state);
      }}
    />
  );
}

function Buttons({ chat, view, state }: StateProps & { readonly view: ChatView | null }) {
  const partners = view?.partners ?? [];
  const hasTurns = partners.some(
    ({ entries, candidates }) =>
      candidates.length > 0 || entries.some(({ kind }) => kind === "turn"),
  );
  const works = state !== null && isBusy(state);
  const rests = state !== null && !works;
  const hasEntries = hasTurns || partners.some(({ entries }) => entries.length > 0);
  return (
    <div class="composer-buttons">
      {works ? (
        <Button
          class="primary"
          icon="debugStop"
          label={l10n.t("Stop")}
          onClick={() => {
            chat.act({ action: "stop" });
            focusComposer();
          }}
        />
      ) : (
        <button type="submit" class="primary" disabled={!takesText(state)}>
          {state?.kind === "asked" ? l10n.t("Answer") : l10n.t("Send")}
        </button>
      )}
      {state?.kind === "stopped" ? (
        <Button
          class="secondary"
          label={l10n.t("Continue")}
          onClick={() => chat.act({ action: "proceed" })}
        />
      ) : null}
      <Button
        class="secondary"
        label={l10n.t("Try again")}
        title={l10n.t("Samples the last turn again, with another seed")}
        disabled={!rests || !hasTurns}
        onClick={() => chat.act({ action: "again" })}
      />
      <Button
        class="secondary"
        label={l10n.t("Undo")}
        title={l10n.t("Undoes the last turn and your message before it")}
        disabled={!rests || !hasEntries}
        onClick={() => {
          chat.act({ action: "undo" });
          // Restores the message so that the person can rephrase it.
          if (view !== null && chat.draft.value === "") chat.write(undoneMessage(view));
          focusComposer();
        }}
      />
    </div>
  );
}

function takesText(state: ChatState | null): boolean {
  return state !== null && ["message", "asked", "choice"].includes(state.kind);
}

/** Answers may be empty, as a tool's result can be; messages may not. */
function send(chat: ChatModel, state: ChatState | null): void {
  const draft = chat.draft.value;
  const isAnswer = state?.kind === "asked";
  if (!takesText(state) || (!isAnswer && draft.trim() === "")) return;
  chat.act({ action: isAnswer ? "answer" : "say", text: draft });
  chat.write("");
}

function statusText(chat: ChatModel, state: ChatState | null): string {
  const { states } = text;
  const part = chat.part.value;
  if (part !== null) return l10n.t("Opening: {0}…", visibleLine(part));
  if (state === null) return states.ended;
  switch (state.kind) {
    case "sampling":
      return states.sampling(state.done, state.total);
    case "calling":
      return states.calling(visibleLine(state.tool));
    case "asked":
      return states.asked(visibleLine(state.caller), visibleLine(state.tool));
    default:
      return states[state.kind];
  }
}
