/** A rollout as a judge of its group reads it: what the model did after the prompt. */

import type { Message, MessageBlock } from "../openreward/types.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { isExactObject, parseExactJson } from "../util/exactJson.ts";

type Turn = RolloutRecord["turns"][number];

/** Messages with blocks of these types only; with text alone a turn that was nothing but a call is an empty text. */
export function candidateOf(
  { turns }: RolloutRecord,
  blockTypes: readonly string[],
): readonly Message[] {
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

/** Results without a call come from the tool that grades a final message; the model did not call it. */
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
