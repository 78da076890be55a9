/** The parts of a turn, shared by replays and chats. */

import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import type { BoundedText, ReplayResult, ReplayTurn } from "../../../src/shared/dashboardTypes.ts";
import { formatReward } from "../../../src/shared/format.ts";
import { sum } from "../../../src/shared/mean.ts";
import { strings } from "../../strings/strings.ts";
import { FoldedText } from "../../text/foldedText.tsx";
import { UntrustedText } from "../../text/untrustedText.tsx";
import { visibleLine } from "../../text/visible.ts";

const text = strings.replay;

interface ReasoningProps {
  readonly reasoning: BoundedText;
  readonly isOpen: boolean;
}

export function ReasoningBlock({ reasoning, isOpen }: ReasoningProps) {
  return (
    <details class="block" data-tone="model" open={isOpen}>
      <summary>{l10n.t("Reasoning")}</summary>
      <FoldedText content={reasoning} />
    </details>
  );
}

/** For a turn from which nothing was parsed. */
export function SilentBlock({ sampled }: { readonly sampled: BoundedText }) {
  return (
    <Block label={text.model} tone="model">
      <p class="fact">{l10n.t("The model wrote no text and no call.")}</p>
      <FoldedText content={sampled} class="mono" />
    </Block>
  );
}

export function CallBlock({ call }: { readonly call: ReplayTurn["calls"][number] }) {
  return (
    <Block label={`${l10n.t("Call")} ${visibleLine(call.name)}`} tone="call">
      <FoldedText content={call.args} class="mono" />
    </Block>
  );
}

interface FaultyCallProps {
  /** Null if it is shown elsewhere. */
  readonly reason: string | null;
  readonly raw: BoundedText;
}

export function FaultyCallBlock({ reason, raw }: FaultyCallProps) {
  return (
    <Block label={l10n.t("Not a call")} tone="error">
      {reason === null ? null : (
        <p class="error">
          <UntrustedText text={reason} />
        </p>
      )}
      <FoldedText content={raw} class="mono" />
    </Block>
  );
}

interface ResultProps {
  readonly result: ReplayResult;
  /** Replaces the name of the tool. */
  readonly label?: string | undefined;
  /** Rendered below the text. */
  readonly children?: ComponentChildren;
}

export function ResultBlock({ result, label, children }: ResultProps) {
  const { name, isError, reward, finished, agentArgs } = result;
  const facts = [
    ...(reward === null ? [] : [text.reward(formatReward(reward))]),
    ...(finished ? [l10n.t("ends the episode")] : []),
  ];
  return (
    <>
      {agentArgs === undefined ? null : (
        <Block label={l10n.t("Agent called {0}", visibleLine(name))} tone="context">
          <FoldedText content={agentArgs} class="mono" />
        </Block>
      )}
      <Block
        label={label ?? `${isError ? l10n.t("Tool error") : l10n.t("Result")} ${visibleLine(name)}`}
        tone={isError ? "error" : "result"}
      >
        <FoldedText content={result.text} class="mono" />
        {children}
        {facts.length === 0 ? null : <p class="result-facts">{facts.join(", ")}</p>}
      </Block>
    </>
  );
}

/** The sum of the results' rewards; null if none has any. */
export function rewardOf(results: readonly Pick<ReplayResult, "reward">[]): number | null {
  const known = results.flatMap(({ reward }) => reward ?? []);
  return known.length === 0 ? null : sum(known);
}

interface BlockProps {
  readonly label: string;
  readonly tone: "context" | "model" | "call" | "result" | "error";
  readonly children: ComponentChildren;
}

export function Block({ label, tone, children }: BlockProps) {
  const marks =
    tone === "error" ? { "data-error": true } : tone === "call" ? { "data-call": true } : {};
  return (
    <section class="block" data-tone={tone} {...marks} tabIndex={-1}>
      <p class="block-label">{label}</p>
      {children}
    </section>
  );
}
