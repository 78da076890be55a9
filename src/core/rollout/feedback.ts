/** What the program itself says to a model after one of its turns; none of it contains a control token. */

/** After a turn without any tool call. */
export const NO_CALL_NUDGE = "Call one of the tools.";

/** A tool's refusal of a call, as the model reads it. */
export function toolErrorText(error: string): string {
  return `Error: ${error}`;
}
