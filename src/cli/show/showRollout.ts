/** Replays one rollout: the prompt, the model's turns, the environment's results, and how the reward was computed. */

import * as l10n from "@vscode/l10n";
import { askedText, type RolloutRecord } from "../../core/runFolder/rollouts/rolloutRecord.ts";
import {
  formatDuration,
  formatExact,
  formatReward,
  formatSigned,
  plural,
} from "../../shared/format.ts";
import { isExample, isFailedOutcome, outcomeText } from "../../shared/outcome.ts";
import { BLANK, heading, type Line, styled } from "../terminal/line.ts";
import {
  blockWriter,
  INDENT,
  resultLines,
  spokenLines,
  type WriteBlock,
} from "../terminal/turnBlocks.ts";
import { describeTrainingUse } from "./rolloutTable.ts";

interface ShownScore {
  readonly advantage: number | null;
  readonly turnAdvantages?: readonly number[] | undefined;
  readonly trainingUse: string;
}

export interface ReplayOptions {
  readonly title: string;
  /** Null until the step is scored, and for evaluations. */
  readonly score: ShownScore | null;
  /** Code points per row. */
  readonly width: number;
}

type Turn = RolloutRecord["turns"][number];

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
    ...(record.systemText === null ? [] : block(l10n.t("system"), record.systemText, "quiet")),
    ...block(l10n.t("prompt"), askedText(record)),
    ...record.turns.flatMap((turn, index) => [
      ...streamBreakLines(turn, record.turns.slice(0, index), record.agent !== undefined),
      ...(turn.asked === undefined ? [] : block(l10n.t("prompt"), turn.asked)),
      ...turnLines(turn, index, block),
    ]),
    ...(record.agent === undefined ? [] : agentLines(record.agent, block)),
    BLANK,
    ...(isExample(record) ? [] : [heading(l10n.t("reward")), ...rewardLines(record, block)]),
    ...(score === null ? [] : scoreLines(score, block)),
  ];
}

function summaryLine(record: RolloutRecord): Line {
  const { reward, stop, turns, durationMs, attempt } = record;
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  const streams = Math.max(0, ...turns.map(({ stream }) => stream)) + 1;
  const isGiven = isExample(record);
  const parts = [
    ...(isGiven ? [] : [stop]),
    plural(turns.length, "{0} turn", "{0} turns"),
    isGiven
      ? plural(tokens, "{0} token", "{0} tokens")
      : plural(tokens, "{0} sampled token", "{0} sampled tokens"),
    ...(streams > 1 ? [plural(streams, "{0} token stream", "{0} token streams")] : []),
    ...(isGiven ? [] : [formatDuration(durationMs / 1000)]),
    ...(attempt === 0
      ? []
      : [plural(attempt, "start {1} after {0} retry", "start {1} after {0} retries", attempt + 1)]),
  ];
  const shown =
    reward === null
      ? styled(isFailedOutcome(record) ? "bad" : "strong", outcomeText(record))
      : styled("strong", l10n.t("reward {0}", formatReward(reward)));
  return [shown, `   ${parts.join(", ")}`];
}

/** Notes that a turn was not sampled in the previous turn's token stream. `before` are all earlier turns. */
function streamBreakLines(
  { stream }: Turn,
  before: readonly Turn[],
  byAgent: boolean,
): readonly Line[] {
  if (stream === (before.at(-1)?.stream ?? 0)) return [];
  const text = (): string => {
    const goesOn = before.some((turn) => turn.stream === stream);
    if (goesOn) return l10n.t("stream {0} continues", stream + 1);
    return byAgent
      ? l10n.t("stream {0}: another conversation of the agent", stream + 1)
      : l10n.t("stream {0}: the conversation was rendered again", stream + 1);
  };
  return [BLANK, [INDENT, styled("quiet", text())]];
}

/** How the agent's program ended, and its output. */
function agentLines(
  { exit, output, refusals }: NonNullable<RolloutRecord["agent"]>,
  block: WriteBlock,
): readonly Line[] {
  const ending = exit === null ? l10n.t("ended by the rollout") : l10n.t("ended with {0}", exit);
  return [
    BLANK,
    heading(l10n.t("agent")),
    ...block(l10n.t("end"), ending),
    ...refusals.flatMap(({ message, count }) =>
      block(l10n.t("refused"), l10n.t("{0}×: {1}", count, message)),
    ),
    ...(output.trim() === "" ? [] : block(l10n.t("printed"), lastLines(output.trim().split("\n")))),
  ];
}

const SHOWN_LINES = 20;

/** Keeps the last lines, which usually contain the reason for the end. */
function lastLines(lines: readonly string[]): string {
  const left = lines.length - SHOWN_LINES;
  if (left <= 0) return lines.join("\n");
  const note = plural(
    left,
    "… {0} line left out; --json has it",
    "… {0} lines left out; --json has them",
  );
  return [note, ...lines.slice(left)].join("\n");
}

function turnLines(turn: Turn, index: number, block: WriteBlock): readonly Line[] {
  const { results, nudge } = turn;
  return [
    BLANK,
    [
      styled("strong", l10n.t("turn {0}", index + 1)),
      styled(
        "quiet",
        `   ${plural(turn.tokens, "{0} token, ended by {1}", "{0} tokens, ended by {1}", turn.stopReason)}`,
      ),
    ],
    ...spokenLines(turn, block),
    ...results.flatMap((result) => resultLines(result, block)),
    ...(nudge === null ? [] : block(l10n.t("answered"), nudge)),
  ];
}

/** The received rewards, the one for an unfinished end, the reduction, and clamping. */
function rewardLines(record: RolloutRecord, block: WriteBlock): readonly Line[] {
  const { rewardBreakdown: breakdown, error } = record;
  const lines: Line[] = [...block(l10n.t("received"), receivedText(record))];
  if (breakdown.group !== null) {
    const why = l10n.t("from the environment, which compared the group");
    lines.push(...block(l10n.t("group"), `${formatExact(breakdown.group)} (${why})`));
  }
  if (breakdown.nonterminal !== null) {
    const why = l10n.t("nonterminal_reward, because the rollout did not finish");
    lines.push(...block(l10n.t("unfinished"), `${formatExact(breakdown.nonterminal)} (${why})`));
  }
  lines.push(
    ...block(l10n.t("reduced"), `${formatExact(breakdown.reduced)} (${breakdown.reduction})`),
  );
  const isChanged = breakdown.clamped !== breakdown.reduced;
  const clamp = isChanged
    ? l10n.t("by min_reward and max_reward")
    : l10n.t("unchanged by min_reward and max_reward");
  lines.push(...block(l10n.t("clamped"), `${formatExact(breakdown.clamped)} (${clamp})`));
  if (isFailedOutcome(record)) {
    lines.push(...block(l10n.t("failed"), error ?? l10n.t("no reward to train on"), "bad"));
  } else if (error !== null) lines.push(...block(l10n.t("error"), error, "bad"));
  return lines;
}

function receivedText({ turns, rewards }: RolloutRecord): string {
  if (rewards.length === 0) return l10n.t("none");
  const placed = turns.flatMap(({ results }, index) =>
    results.flatMap(({ reward }) =>
      reward === null ? [] : [l10n.t("{0} in turn {1}", formatExact(reward), index + 1)],
    ),
  );
  return placed.length === rewards.length ? placed.join(", ") : rewards.map(formatExact).join(", ");
}

function scoreLines(
  { advantage, turnAdvantages, trainingUse }: ShownScore,
  block: WriteBlock,
): readonly Line[] {
  const byTurn = turnAdvantages?.map((value, turn) =>
    l10n.t("{0} in turn {1}", formatSigned(value, 4), turn + 1),
  );
  return [
    ...(advantage === null ? [] : block(l10n.t("advantage"), formatSigned(advantage, 4))),
    ...(byTurn === undefined ? [] : block(l10n.t("by turn"), byTurn.join(", "))),
    ...block(
      l10n.t("training"),
      describeTrainingUse(trainingUse),
      ...(trainingUse === "trained" ? [] : (["warning"] as const)),
    ),
  ];
}
