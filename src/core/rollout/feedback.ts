/** What the program itself says to a model after one of its turns; none of it contains a control token. */

import type { FollowUp, ParsedTurn } from "../chat/renderer.ts";
import type { Content } from "./rolloutImages.ts";

/** After a turn without any tool call. */
export const NO_CALL_NUDGE = "Call one of the tools.";

/** A tool's refusal of a call, as the model reads it. */
export function toolErrorText(error: string): string {
  return `Error: ${error}`;
}

/** Id for the answer at a position of a turn: that of its call as the model wrote it, where the call has one. */
export function callIdOf(calls: ParsedTurn["calls"], index: number): string {
  return calls[index]?.id ?? `call_${index}`;
}

/** Results of the calls that ran, then what was wrong with the others; a nudge when there was no call at all. */
export function followUpsTo(
  { calls, errors }: ParsedTurn,
  results: readonly { readonly record: { readonly name: string }; readonly said: Content }[],
): readonly FollowUp[] {
  const answers: readonly (Content & { readonly name: string })[] = [
    ...results.map(({ record, said }) => ({ name: record.name, ...said })),
    ...errors.map(({ message }) => ({ name: "error", content: message })),
  ];
  if (answers.length === 0) return [{ kind: "user", content: NO_CALL_NUDGE }];
  return answers.map((answer, i) => ({
    kind: "tool_result",
    callId: callIdOf(calls, i),
    ...answer,
  }));
}
