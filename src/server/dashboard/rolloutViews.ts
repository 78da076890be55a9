/** Stored rollouts in the form the page shows: bounded, without file-only details. */

import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import { askedText, type RolloutRecord } from "../../core/runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../../core/runFolder/rollouts/tokenRecord.ts";
import { parseExactJson, writeExactJson } from "../../core/util/exactJson.ts";
import type {
  BoundedText,
  ReplayTurn,
  RolloutBody,
  RolloutRow,
  TokenWindow,
} from "../../shared/dashboardTypes.ts";

/** Maximum characters per text; the full text is in the editor's JSON view. */
const MAX_TEXT = 100_000;
/** Maximum characters for all texts of a rollout. */
const MAX_BODY = 4_000_000;
const MAX_TURNS = 500;
/** Maximum number of calls, results or errors per turn, and of rewards per rollout. */
const MAX_PARTS = 1_000;
const MAX_NAME = 500;
/** Maximum characters of arguments that are pretty-printed. */
const MAX_INDENTED = 10_000;
/** Lower log-probabilities are clamped to this. */
const LOWEST_LOGPROB = -20;

export function rolloutRow(summary: RolloutSummary): RolloutRow {
  const { source, step, group, rollout, environment, split, index, temperature, model } = summary;
  const { reward, turns, tokens, toolCalls, failedToolCalls, stop, durationMs } = summary;
  return {
    source,
    step,
    group,
    rollout,
    environment,
    split,
    index,
    temperature,
    reward,
    turns,
    tokens,
    toolCalls,
    failedToolCalls,
    stop,
    durationMs,
    model,
    error: summary.error === null ? null : summary.error.slice(0, 500),
    taskText: summary.taskText.slice(0, MAX_NAME),
    advantage: summary.score?.advantage ?? null,
    turnAdvantages: summary.score?.turnAdvantages,
    penalty: summary.score?.penalty ?? 0,
    trainingUse: summary.score?.trainingUse ?? null,
    streams: summary.tokenData.map(({ stream }) => stream).sort((a, b) => a - b),
  };
}

export function rolloutBody(record: RolloutRecord): RolloutBody {
  const bounded = textBounder(MAX_BODY);
  const { attempt, rewards, rewardBreakdown, reward } = record;
  return {
    attempt,
    rewardBreakdown,
    reward,
    rewards: rewards.slice(0, MAX_PARTS),
    error: record.error?.slice(0, MAX_TEXT) ?? null,
    system: record.systemText === null ? null : bounded(record.systemText),
    tools: record.tools.slice(0, MAX_PARTS).map(({ name, description }) => ({
      name: name.slice(0, MAX_NAME),
      description: bounded(description),
    })),
    prompt: bounded(askedText(record)),
    images: record.images.slice(0, MAX_PARTS).map((image) => ({
      ...image,
      file: image.file.slice(0, MAX_NAME),
    })),
    turns: record.turns.slice(0, MAX_TURNS).map((turn) => replayTurn(turn, bounded)),
    omittedTurns: Math.max(0, record.turns.length - MAX_TURNS),
    agent: record.agent && {
      exit: record.agent.exit?.slice(0, MAX_NAME) ?? null,
      output: bounded(record.agent.output),
      refusals: record.agent.refusals.slice(0, MAX_PARTS).map(({ message, count }) => {
        return { message: message.slice(0, MAX_TEXT), count };
      }),
    },
  };
}

function replayTurn(
  turn: RolloutRecord["turns"][number],
  bounded: (text: string) => BoundedText,
): ReplayTurn {
  const { stopReason, tokens, stream } = turn;
  return {
    stream,
    stopReason,
    tokens,
    reasoning: turn.reasoning === null ? null : bounded(turn.reasoning),
    content: bounded(turn.content.slice(0, turn.lead)),
    afterCalls: bounded(turn.content.slice(turn.lead).trimStart()),
    sampled: bounded(turn.sampledText),
    calls: turn.calls.slice(0, MAX_PARTS).map(({ name, args }) => ({
      name: name.slice(0, MAX_NAME),
      args: bounded(argsText(args)),
    })),
    errors: turn.errors.slice(0, MAX_PARTS).map(({ raw, message }) => ({
      raw: bounded(raw),
      message: message.slice(0, MAX_TEXT),
    })),
    results: turn.results.slice(0, MAX_PARTS).map((result) => {
      const { name, text, isError, reward, finished, agentArgs } = result;
      return {
        name: name.slice(0, MAX_NAME),
        isError,
        reward,
        finished,
        text: bounded(text),
        agentArgs: agentArgs === undefined ? undefined : bounded(argsText(agentArgs)),
      };
    }),
    nudge: turn.nudge === null ? null : bounded(turn.nudge),
    asked: turn.asked === undefined ? null : bounded(turn.asked),
  };
}

/** Pretty-printed unless too long: each nesting level indents every line below it. Redacting a secret may have broken the JSON. */
function argsText(args: string): string {
  if (args.length > MAX_INDENTED) return args;
  try {
    return writeExactJson(parseExactJson(args), "lines");
  } catch {
    return args;
  }
}

/** Truncates each text to its own limit, and all of them together to `total` characters. */
function textBounder(total: number): (text: string) => BoundedText {
  let left = total;
  return (text) => {
    const kept = text.slice(0, Math.min(MAX_TEXT, left));
    left -= kept.length;
    return { text: kept, omitted: text.length - kept.length };
  };
}

/** Copies `count` tokens of a record, starting at `from`. */
export function tokenPart(
  record: TokenRecord,
  { from, count }: { readonly from: number; readonly count: number },
): Omit<TokenWindow, "texts"> {
  const total = record.ids.length;
  const start = Math.min(from, total);
  const end = Math.min(start + count, total);
  const part = (values: ArrayLike<number>): number[] =>
    Array.from({ length: end - start }, (_, index) => values[start + index] ?? Number.NaN);
  return {
    stream: record.stream,
    from: start,
    total,
    ids: Int32Array.from(part(record.ids)),
    samplerLogprobs: Float32Array.from(part(record.samplerLogprobs)),
    trainerLogprobs: Float32Array.from(part(record.trainerLogprobs)),
    advantages: Float32Array.from(part(record.advantages)),
    turns: Int16Array.from(part(record.turns)),
    mask: Uint8Array.from(part(record.mask)),
    ranges: tokenRanges(record),
  };
}

function tokenRanges(record: TokenRecord): TokenWindow["ranges"] {
  let logprobLow = 0;
  let advantageSize = 0;
  let differenceSize = 0;
  let trainerLow = 0;
  for (let token = 0; token < record.ids.length; token += 1) {
    if (record.mask[token] !== 1) continue;
    const sampler = record.samplerLogprobs[token] ?? 0;
    const trainer = record.trainerLogprobs[token] ?? Number.NaN;
    const difference = Math.abs(trainer - sampler);
    logprobLow = Math.min(logprobLow, Math.max(sampler, LOWEST_LOGPROB));
    advantageSize = Math.max(advantageSize, Math.abs(record.advantages[token] ?? 0));
    if (Number.isFinite(difference)) differenceSize = Math.max(differenceSize, difference);
    if (Number.isFinite(trainer)) {
      trainerLow = Math.min(trainerLow, Math.max(trainer, LOWEST_LOGPROB));
    }
  }
  return { logprobLow, advantageSize, differenceSize, trainerLow };
}
