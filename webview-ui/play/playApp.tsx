/** The page where a person plays a task: the model's prompt and the results above, a form per tool below. */

// biome-ignore-all lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll the play

import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatReward, plural } from "../../src/shared/format.ts";
import type { PlayEnd, PlayTurn, PlayView } from "../../src/shared/play.ts";
import { Button } from "../controls/button.tsx";
import { FoldedText, wholeText } from "../text/foldedText.tsx";
import { stopText } from "../text/stopText.ts";
import { UntrustedText } from "../text/untrustedText.tsx";
import { visibleLine } from "../text/visible.ts";
import { Block, ResultBlock, rewardOf } from "../views/replay/turnBlocks.tsx";
import type { PlayProps } from "./playModel.ts";
import { TextArea, ToolForm } from "./toolForm.tsx";

export function PlayApp({ play }: PlayProps) {
  const view = play.view.value;
  return (
    <main class="fill stack">
      <h1 class="visually-hidden">{l10n.t("Play a task")}</h1>
      {view === null ? <div class="play-body pane" /> : <Body view={view} />}
      <footer class="play-foot stack">
        <Status play={play} view={view} />
        {view === null || view.end !== null ? null : <Moves play={play} view={view} />}
        {view?.end == null ? null : <End play={play} end={view.end} />}
      </footer>
    </main>
  );
}

interface ViewProps {
  readonly view: PlayView;
}

/** Scrolls to the end of the play. */
function Body({ view }: ViewProps) {
  const region = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = region.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [view]);
  return (
    <section
      class="play-body pane stack"
      ref={region}
      tabIndex={0}
      aria-label={l10n.t("The task so far")}
    >
      {view.turns.map((turn, index) => (
        <Turn key={index} turn={turn} number={index + 1} />
      ))}
    </section>
  );
}

function Turn({ turn, number }: { readonly turn: PlayTurn; readonly number: number }) {
  return (
    <article class="turn stack" aria-label={l10n.t("Turn {0}", number)}>
      <Block label={l10n.t("The model reads")} tone="context">
        <FoldedText content={wholeText(turn.read)} class="mono" />
      </Block>
      {turn.move === null ? null : (
        <Block label={l10n.t("Your move")} tone="call">
          <FoldedText content={wholeText(turn.move)} class="mono" />
        </Block>
      )}
      {turn.results.map(({ name, text, images, reward, isError }, index) => (
        <ResultBlock
          key={index}
          result={{ name, text: wholeText(text), isError, reward, finished: false }}
        >
          {images.map((address, place) => (
            <img
              key={place}
              class="play-image"
              src={address}
              alt={l10n.t("Image {0} of the result of {1}", place + 1, visibleLine(name))}
            />
          ))}
        </ResultBlock>
      ))}
    </article>
  );
}

function Status({ play, view }: PlayProps & { readonly view: PlayView | null }) {
  const failure = play.failure.value;
  const part = play.part.value;
  return (
    <>
      <p class="fact" role="status">
        {failure === null ? statusText(part, view) : ""}
      </p>
      <div role="alert">
        {view?.problem == null ? null : (
          <p class="error">
            <UntrustedText text={view.problem} />
          </p>
        )}
        {failure === null ? null : (
          <p class="chat-failure">
            <span class="error">
              <UntrustedText text={failure} />
            </span>
            <Button
              class="secondary"
              label={l10n.t("Begin again")}
              onClick={() => play.send({ kind: "again" })}
            />
          </p>
        )}
      </div>
    </>
  );
}

function statusText(part: string | null, view: PlayView | null): string {
  if (part !== null) return part;
  if (view === null || view.end !== null) return "";
  if (!view.isAwaited) return l10n.t("The environment answers…");
  const total = rewardOf(view.turns.flatMap(({ results }) => results));
  return total === null
    ? l10n.t("Your turn: be the model.")
    : l10n.t("Your turn. Reward so far: {0}", formatReward(total));
}

function Moves({ play, view }: PlayProps & ViewProps) {
  const [text, setText] = useState("");
  const chosen = play.tool.value;
  const isText = chosen === TEXT || view.tools.length === 0;
  const tool = view.tools.find(({ name }) => name === chosen) ?? view.tools[0];
  return (
    <div class="moves stack">
      <fieldset class="segments">
        <legend class="visually-hidden">{l10n.t("What to do")}</legend>
        {view.tools.map(({ name }) => (
          <Button
            key={name}
            class="toggle"
            label={visibleLine(name)}
            aria-pressed={!isText && name === tool?.name}
            onClick={() => {
              play.tool.value = name;
            }}
          />
        ))}
        <Button
          class="toggle"
          label={l10n.t("Plain text")}
          aria-pressed={isText}
          onClick={() => {
            play.tool.value = TEXT;
          }}
        />
      </fieldset>
      {isText || tool === undefined ? (
        <form
          class="tool-form stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!view.isAwaited) return;
            play.send({ kind: "move", move: { kind: "text", text } });
            setText("");
          }}
        >
          <TextArea label={l10n.t("A message without a call")} value={text} set={setText} />
          <div class="row">
            <button type="submit" class="primary" disabled={!view.isAwaited || text === ""}>
              {l10n.t("Send text")}
            </button>
          </div>
        </form>
      ) : (
        <ToolForm
          // Clears the form on each turn.
          key={`${tool.name} ${view.turns.length}`}
          tool={tool}
          isEnabled={view.isAwaited}
          send={(args) =>
            play.send({ kind: "move", move: { kind: "call", name: tool.name, args } })
          }
        />
      )}
    </div>
  );
}

/** Represents a turn without a tool call; no tool can have this name. */
const TEXT = "\u0000text";

function End({ play, end }: PlayProps & { readonly end: PlayEnd }) {
  const { reward, stop, error, folder } = end;
  const turns = play.view.value?.turns.length ?? 0;
  return (
    <div class="play-end stack">
      <p>
        <b>{reward === null ? l10n.t("No reward") : l10n.t("Reward {0}", formatReward(reward))}</b>
        {` · ${plural(turns, "{0} turn", "{0} turns")} · ${stopText(stop)}`}
      </p>
      {error === null ? null : (
        <p class="error">
          <UntrustedText text={error} />
        </p>
      )}
      <div class="row">
        <Button
          class="secondary"
          label={l10n.t("Play again")}
          onClick={() => play.send({ kind: "again" })}
        />
        {folder === null ? null : (
          <Button
            class="secondary"
            label={l10n.t("Read the play")}
            onClick={() => play.send({ kind: "read" })}
          />
        )}
      </div>
    </div>
  );
}
