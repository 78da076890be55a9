/**
 * Asks an environment to score a group as a whole. Scoring works on transcripts, so the rollouts' sessions need not stay open: a fresh
 * session of the same task is opened when the last rollout has ended.
 */

import type { Message, MessageBlock } from "../openreward/types.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { isExactObject, parseExactJson } from "../util/exactJson.ts";
import { inFreshSessions } from "./attempts.ts";
import { type FinishedRollout, type RolloutOptions, withGroupScore } from "./rollout.ts";

type GroupScoringOptions = Pick<
  RolloutOptions,
  "gate" | "clock" | "settings" | "random" | "log" | "whileWaiting"
>;

/**
 * The rollouts with their scores, in order, with as many attempts as a rollout has. If the environment cannot score them, all of them
 * fail: scores are never invented, and per-call rewards do not replace them.
 */
export async function scoreGroup(
  options: GroupScoringOptions,
  rollouts: readonly FinishedRollout[],
  signal: AbortSignal,
): Promise<readonly FinishedRollout[]> {
  const { settings } = options;
  const [first] = rollouts;
  if (first === undefined) return [];
  const { record: task } = first;
  const name = `The scoring of the group of ${task.taskKey}`;
  const candidates = rollouts.map(({ record, scoredFrom }) =>
    candidateOf(record, scoredFrom ?? []),
  );
  const last = await inFreshSessions({ ...options, task, name, signal }, (session, limit) =>
    session.scoreGroup(candidates, limit),
  );
  return rollouts.map((rollout, i) => {
    const score = last.result?.[i];
    const outcome = score === undefined ? { error: last.error } : { score };
    return withGroupScore(rollout, outcome, settings.rewards);
  });
}

type Turn = RolloutRecord["turns"][number];

/** Messages with only these block types. If only text is allowed, a turn that was just a call becomes an empty text. */
function candidateOf({ turns }: RolloutRecord, blockTypes: readonly string[]): readonly Message[] {
  const isTaken = ({ type }: MessageBlock): boolean => blockTypes.includes(type);
  return turns.flatMap((turn, number): readonly Message[] => {
    const said = modelBlocks(turn, number).filter(isTaken);
    const seen = answerBlocks(turn, number).filter(isTaken);
    return [
      { role: "assistant", blocks: said.length === 0 ? [text("")] : said },
      ...(seen.length === 0 ? [] : [{ role: "user" as const, blocks: seen }]),
    ];
  });
}

function modelBlocks(turn: Turn, number: number): readonly MessageBlock[] {
  const { reasoning, content, calls, errors } = turn;
  return [
    ...(reasoning === null ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...(content === "" ? [] : [text(content)]),
    ...errors.map(({ raw }) => text(raw)),
    ...calls.map(({ name, args }, at) => ({
      type: "tool_call" as const,
      id: callId(number, at),
      name,
      input: argumentsOf(args),
    })),
  ];
}

/** Results without a call are from the tool that grades a final message, which the model did not call. */
function answerBlocks(turn: Turn, number: number): readonly MessageBlock[] {
  const { calls, errors, results, nudge } = turn;
  return [
    ...results.slice(0, calls.length).map((result, at) => ({
      type: "tool_result" as const,
      callId: callId(number, at),
      blocks: [text(result.text)],
      isError: result.isError,
    })),
    ...errors.map(({ message }) => text(message)),
    ...(nudge === null || errors.length > 0 ? [] : [text(nudge)]),
  ];
}

function argumentsOf(args: string) {
  const value = parseExactJson(args);
  return isExactObject(value) ? value : {};
}

function callId(turn: number, at: number): string {
  return `turn${turn}-call${at}`;
}

function text(said: string) {
  return { type: "text" as const, text: said };
}
