/** Replays one rollout: what the model was told, what it wrote, what came back, and how the reward was made. */

import type { RolloutRecord } from "../core/runFolder/rolloutRecord.ts";
import {
  formatDuration,
  formatExact,
  formatQuantity,
  formatReward,
  formatSigned,
} from "../shared/format.ts";
import { BLANK, type Line, type Style, styled, wrapText } from "./line.ts";
import { describeTrainingUse } from "./rolloutTable.ts";
import { heading } from "./showContext.ts";

export interface ReplayOptions {
  readonly title: string;
  /** Null while the step is not scored, and for evaluations. */
  readonly score: { readonly advantage: number | null; readonly trainingUse: string } | null;
  /** Code points in a row. */
  readonly width: number;
}

type Turn = RolloutRecord["turns"][number];

const LABEL_WIDTH = 11;
const INDENT = "  ";

/** The lines of a replay. */
export function replayLines(
  record: RolloutRecord,
  { title, score, width }: ReplayOptions,
): readonly Line[] {
  const block = blockWriter(width);
  return [
    heading(`${title}   ${record.environment} ${record.split} ${record.index}`),
    summaryLine(record),
    BLANK,
    ...(record.systemText === null ? [] : block("system", record.systemText, "quiet")),
    ...block("prompt", record.promptText),
    ...record.turns.flatMap((turn, index) => turnLines(turn, index, block)),
    BLANK,
    heading("reward"),
    ...rewardLines(record, block),
    ...(score === null ? [] : scoreLines(score, block)),
  ];
}

type WriteBlock = (label: string, text: string, style?: Style) => readonly Line[];

/** Labelled text, wrapped and indented beside its label. */
function blockWriter(width: number): WriteBlock {
  const room = width - INDENT.length - LABEL_WIDTH;
  return (label, text, style) =>
    wrapText(text, room).map((row, index): Line => {
      const shownLabel = index === 0 ? label : "";
      return [
        INDENT,
        styled("quiet", shownLabel.padEnd(LABEL_WIDTH)),
        style === undefined ? row : styled(style, row),
      ];
    });
}

function summaryLine(record: RolloutRecord): Line {
  const { reward, stop, turns, durationMs, attempt } = record;
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  const parts = [
    stop,
    formatQuantity(turns.length, "turn"),
    formatQuantity(tokens, "sampled token"),
    formatDuration(durationMs / 1000),
    ...(attempt === 0
      ? []
      : [`start ${attempt + 1} after ${formatQuantity(attempt, "retry", "retries")}`]),
  ];
  const shown =
    reward === null ? styled("bad", "failed") : styled("strong", `reward ${formatReward(reward)}`);
  return [shown, `   ${parts.join(", ")}`];
}

function turnLines(turn: Turn, index: number, block: WriteBlock): readonly Line[] {
  const { reasoning, content, calls, errors, results, nudge, sampledText } = turn;
  const isSilent = reasoning === null && content === "" && calls.length + errors.length === 0;
  return [
    BLANK,
    [
      styled("strong", `turn ${index + 1}`),
      styled("quiet", `   ${formatQuantity(turn.tokens, "token")}, ended by ${turn.stopReason}`),
    ],
    ...(reasoning === null ? [] : block("thinking", reasoning, "quiet")),
    ...(content === "" ? [] : block("text", content)),
    ...calls.flatMap(({ name, args }) => block("call", `${name}(${args})`, "accent")),
    ...errors.flatMap(({ message, raw }) => [
      ...block("not a call", message, "bad"),
      ...block("", raw),
    ]),
    ...(isSilent ? block("raw", sampledText) : []),
    ...results.flatMap((result) => resultLines(result, block)),
    ...(nudge === null ? [] : block("answered", nudge)),
  ];
}

function resultLines(result: Turn["results"][number], block: WriteBlock): readonly Line[] {
  const { text, isError, reward, finished } = result;
  const outcome = [
    ...(reward === null ? [] : [`reward ${formatExact(reward)}`]),
    ...(finished ? ["finished"] : []),
  ];
  return [
    ...block(isError ? "tool error" : "result", text, ...(isError ? (["bad"] as const) : [])),
    ...(outcome.length === 0 ? [] : block("", outcome.join(", "), "good")),
  ];
}

/** Received rewards, the one for an unfinished end, their reduction, and the clamp. */
function rewardLines(record: RolloutRecord, block: WriteBlock): readonly Line[] {
  const { rewardBreakdown: breakdown, reward, error } = record;
  const lines: Line[] = [...block("received", receivedText(record))];
  if (breakdown.group !== null) {
    const why = "by the environment, comparing the group";
    lines.push(...block("group", `${formatExact(breakdown.group)} (${why})`));
  }
  if (breakdown.nonterminal !== null) {
    const why = "nonterminal_reward, because the rollout did not finish";
    lines.push(...block("unfinished", `${formatExact(breakdown.nonterminal)} (${why})`));
  }
  lines.push(...block("reduced", `${formatExact(breakdown.reduced)} (${breakdown.reduction})`));
  const isChanged = breakdown.clamped !== breakdown.reduced;
  const clamp = isChanged
    ? "by min_reward and max_reward"
    : "unchanged by min_reward and max_reward";
  lines.push(...block("clamped", `${formatExact(breakdown.clamped)} (${clamp})`));
  if (reward === null) {
    lines.push(...block("failed", error ?? "there was no reward to train on", "bad"));
  } else if (error !== null) lines.push(...block("error", error, "bad"));
  return lines;
}

function receivedText({ turns, rewards }: RolloutRecord): string {
  if (rewards.length === 0) return "none";
  const placed = turns.flatMap(({ results }, index) =>
    results.flatMap(({ reward }) =>
      reward === null ? [] : [`${formatExact(reward)} in turn ${index + 1}`],
    ),
  );
  return placed.length === rewards.length ? placed.join(", ") : rewards.map(formatExact).join(", ");
}

function scoreLines(
  { advantage, trainingUse }: NonNullable<ReplayOptions["score"]>,
  block: WriteBlock,
): readonly Line[] {
  return [
    ...(advantage === null ? [] : block("advantage", formatSigned(advantage, 4))),
    ...block(
      "training",
      describeTrainingUse(trainingUse),
      ...(trainingUse === "trained" ? [] : (["warning"] as const)),
    ),
  ];
}
