/** What the program itself says to a model after a turn. It never contains control tokens. */

import type { Content } from "../chat/content.ts";
import type { FollowUp, ParsedTurn } from "../chat/renderer.ts";

/** Sent after a turn without any tool call. */
export const NO_CALL_NUDGE = "Call one of the tools.";

/** Sent instead when a call is inside the reasoning, which an answer or nothing follows. */
export const THOUGHT_CALL_NUDGE = `A tool call in the reasoning does not run. Close the reasoning first. ${NO_CALL_NUDGE}`;

/** How the model reads that a tool refused its call. */
export function toolErrorText(error: string): string {
  return `Error: ${error}`;
}

/** Id of the answer at an index within a turn: the id the model gave its call, if any. */
export function callIdOf(calls: ParsedTurn["calls"], index: number): string {
  return calls[index]?.id ?? `call_${index}`;
}

/**
 * One answer per call in the order of the turn, because many formats match answers to calls only by order: the result of a call that ran,
 * or what was wrong with it. A nudge if there was no call at all.
 */
export function followUpsTo(
  { calls, errors, thoughtCall }: ParsedTurn,
  results: readonly { readonly record: { readonly name: string }; readonly said: Content }[],
): readonly FollowUp[] {
  // The model answered in plain text, so there is no call that a result could follow.
  if (calls.length === 0 && errors.length === 0 && results.length > 0) {
    return results.map(({ said }) => ({ role: "user", ...said }));
  }
  const unused = unusedIds(calls, errors);
  const answers = [
    ...results.map(({ record, said }, i) => {
      return { place: i, name: record.name, callId: callIdOf(calls, i), ...said };
    }),
    ...errors.map(({ id, message, callsBefore = calls.length }) => {
      const callId = id ?? unused.next().value;
      return { place: callsBefore - 0.5, name: "error", callId, content: message };
    }),
  ];
  if (answers.length === 0) {
    return [
      { role: "user", content: thoughtCall === undefined ? NO_CALL_NUDGE : THOUGHT_CALL_NUDGE },
    ];
  }
  return answers
    .sort((a, b) => a.place - b.place)
    .map(({ place: _, ...answer }) => ({ role: "tool", ...answer }));
}

/** Ids that no call of the turn uses. */
function* unusedIds(
  calls: ParsedTurn["calls"],
  errors: ParsedTurn["errors"],
): Generator<string, never> {
  const used = new Set([...calls.map((_, i) => callIdOf(calls, i)), ...errors.map(({ id }) => id)]);
  for (let i = calls.length; ; i += 1) {
    const id = `call_${i}`;
    if (!used.has(id)) yield id;
  }
}
