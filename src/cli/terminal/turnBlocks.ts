/** A model's turn and its tool results, as text blocks next to labels. */

import * as l10n from "@vscode/l10n";
import type { RolloutRecord } from "../../core/runFolder/rollouts/rolloutRecord.ts";
import { formatReward } from "../../shared/format.ts";
import { type Line, type Style, styled, wrapText } from "./line.ts";

type Turn = RolloutRecord["turns"][number];

const LABEL_WIDTH = 11;
export const INDENT = "  ";

export type WriteBlock = (label: string, text: string, style?: Style) => readonly Line[];

/** Labeled text, wrapped and indented next to its label. */
export function blockWriter(width: number): WriteBlock {
  const room = width - INDENT.length - LABEL_WIDTH;
  return (label, text, style) =>
    wrapText(text, room).map((row, index): Line => {
      const shownLabel = index === 0 ? label : "";
      return [
        INDENT,
        styled("quiet", `${shownLabel} `.padEnd(LABEL_WIDTH)),
        style === undefined ? row : styled(style, row),
      ];
    });
}

/** What the model wrote, split into thinking, text and calls; the raw text if there is nothing else. */
export function spokenLines(
  {
    reasoning,
    content,
    calls,
    errors,
    sampledText,
  }: Pick<Turn, "reasoning" | "content" | "errors" | "sampledText"> & {
    readonly calls: readonly Pick<Turn["calls"][number], "name" | "args">[];
  },
  block: WriteBlock,
): readonly Line[] {
  const isSilent = reasoning === null && content === "" && calls.length + errors.length === 0;
  return [
    ...(reasoning === null ? [] : block(l10n.t("thinking"), reasoning, "quiet")),
    ...(content === "" ? [] : block(l10n.t("text"), content)),
    ...calls.flatMap(({ name, args }) => block(l10n.t("call"), `${name}(${args})`, "accent")),
    ...errors.flatMap(({ message, raw }) => [
      ...block(l10n.t("not a call"), message, "bad"),
      ...block("", raw),
    ]),
    ...(isSilent ? block(l10n.t("raw"), sampledText) : []),
  ];
}

/** A tool's result with its reward. */
export function resultLines(result: Turn["results"][number], block: WriteBlock): readonly Line[] {
  const { name, text, isError, reward, finished, agentArgs } = result;
  const outcome = [
    ...(reward === null ? [] : [l10n.t("reward {0}", formatReward(reward))]),
    ...(finished ? [l10n.t("finished")] : []),
  ];
  return [
    ...(agentArgs === undefined
      ? []
      : block(l10n.t("agent"), l10n.t("called {0}", `${name}(${agentArgs})`))),
    ...block(
      isError ? l10n.t("tool error") : l10n.t("result"),
      text,
      ...(isError ? (["bad"] as const) : []),
    ),
    ...(outcome.length === 0 ? [] : block("", outcome.join(", "), "good")),
  ];
}
