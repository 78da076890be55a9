/** One of the models: its prompt, its turns with tool results, and samples to choose from. */

import * as l10n from "@vscode/l10n";
import { useId } from "preact/hooks";
import type { ChatEntry, ChatPartnerView, ChatTurnView } from "../../src/shared/chat.ts";
import { formatCost, formatReward, plural } from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { strings } from "../strings/strings.ts";
import { FoldedText, wholeText } from "../text/foldedText.tsx";
import { visibleLine } from "../text/visible.ts";
import {
  Block,
  CallBlock,
  FaultyCallBlock,
  ReasoningBlock,
  ResultBlock,
  SilentBlock,
} from "../views/replay/turnBlocks.tsx";
import type { ChatProps } from "./chatModel.ts";
import { focusComposer } from "./composer.tsx";

interface PartnerProps extends ChatProps {
  readonly partner: ChatPartnerView;
  /** Counted from 1; null if it is the only model. */
  readonly number: number | null;
}

export function Partner({ chat, partner, number }: PartnerProps) {
  const { label, opening, entries, candidates, tokens, reward } = partner;
  const id = useId();
  let turns = 0;
  return (
    <section class="partner stack" aria-labelledby={id}>
      <div class="partner-head">
        <h2 id={id} class={number === null ? "visually-hidden" : ""}>
          {number === null ? visibleLine(label) : `${number}. ${visibleLine(label)}`}
        </h2>
        <span class="fact">{`${plural(tokens, "{0} token of context", "{0} tokens of context")} · ${usedText(partner)}`}</span>
      </div>
      {opening === "" ? null : (
        <Block label={l10n.t("Read before the conversation")} tone="context">
          <FoldedText content={wholeText(opening)} class="mono" />
        </Block>
      )}
      {entries.map((entry, index) => {
        if (entry.kind === "turn") turns += 1;
        return <Entry key={index} chat={chat} entry={entry} turn={turns} partnerId={id} />;
      })}
      {candidates.length === 0 ? null : (
        <Candidates chat={chat} candidates={candidates} partnerId={id} isAlone={number === null} />
      )}
      {reward === null ? null : (
        <p>
          <span class="reward-chip">
            {l10n.t("reward of the episode: {0}", formatReward(reward))}
          </span>
        </p>
      )}
    </section>
  );
}

function usedText({ used: { tokens, costUsd } }: ChatPartnerView): string {
  return costUsd === null
    ? plural(tokens, "{0} token used", "{0} tokens used")
    : plural(tokens, "{1} for {0} token", "{1} for {0} tokens", formatCost(costUsd));
}

interface EntryProps extends ChatProps {
  readonly entry: ChatEntry;
  readonly turn: number;
  readonly partnerId: string;
}

function Entry({ chat, entry, turn, partnerId }: EntryProps) {
  switch (entry.kind) {
    case "message":
      return (
        <Block label={l10n.t("You")} tone="context">
          <FoldedText content={wholeText(entry.text)} />
        </Block>
      );
    case "turn":
      return (
        <ModelTurn
          chat={chat}
          turn={entry.turn}
          title={l10n.t("Turn {0}", turn)}
          partnerId={partnerId}
        />
      );
    case "answers":
      return (
        <>
          {entry.answers.map((answer, index) => {
            const result = { ...answer, text: wholeText(answer.text) };
            const label =
              entry.by === "person"
                ? l10n.t("Your answer instead of {0}", visibleLine(answer.name))
                : undefined;
            return <ResultBlock key={index} result={result} label={label} />;
          })}
        </>
      );
  }
}

interface CandidatesProps extends ChatProps {
  readonly candidates: readonly ChatTurnView[];
  readonly partnerId: string;
  /** True if it is the only model. */
  readonly isAlone: boolean;
}

function Candidates({ chat, candidates, partnerId, isAlone }: CandidatesProps) {
  return (
    <div class="candidates">
      {candidates.map((turn, index) => (
        <div class="card stack" key={index}>
          <ModelTurn
            chat={chat}
            turn={turn}
            title={l10n.t("Sample {0}", index + 1)}
            partnerId={partnerId}
          />
          <Button
            class="secondary"
            label={
              isAlone
                ? l10n.t("Continue with sample {0}", index + 1)
                : l10n.t("Continue with sample {0} of each", index + 1)
            }
            onClick={() => {
              chat.act({ action: "choose", index });
              // The button disappears with the choice.
              focusComposer();
            }}
          />
        </div>
      ))}
    </div>
  );
}

interface ModelTurnProps extends ChatProps {
  readonly turn: ChatTurnView;
  readonly title: string;
  readonly partnerId: string;
}

function ModelTurn({ chat, turn, title, partnerId }: ModelTurnProps) {
  const id = useId();
  return (
    <section class="turn stack" tabIndex={-1} aria-labelledby={`${partnerId} ${id}`}>
      <div class="turn-head wrap">
        <h3 id={id}>{title}</h3>
        <span class="fact">{plural(turn.tokens, "{0} token", "{0} tokens")}</span>
        {turn.isCut ? <span class="fact">{l10n.t("cut off at the token limit")}</span> : null}
      </div>
      {chat.isRaw.value ? (
        <Block label={strings.replay.raw} tone="model">
          <FoldedText content={wholeText(turn.raw)} class="mono" />
        </Block>
      ) : (
        <Understood chat={chat} turn={turn} />
      )}
    </section>
  );
}

function Understood({ chat, turn }: Pick<ModelTurnProps, "chat" | "turn">) {
  const { thinking, text: said, calls, errors, raw } = turn;
  const isSilent = said === "" && thinking === null && calls.length + errors.length === 0;
  return (
    <>
      {thinking === null ? null : (
        <ReasoningBlock reasoning={wholeText(thinking)} isOpen={chat.isThinkingOpen.value} />
      )}
      {said.trim() === "" ? null : (
        <Block label={strings.replay.model} tone="model">
          <FoldedText content={wholeText(said)} />
        </Block>
      )}
      {calls.map(({ name, args }, index) => (
        <CallBlock key={index} call={{ name, args: wholeText(args) }} />
      ))}
      {errors.map((error, index) => (
        <FaultyCallBlock key={index} reason={error.message} raw={wholeText(error.raw)} />
      ))}
      {isSilent ? <SilentBlock sampled={wholeText(raw)} /> : null}
    </>
  );
}
