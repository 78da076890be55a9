/** Unwraps a tool's framed answer. */

/** The parts of an answer. @throws if it is not framed, or contains another marker of its own */
export function framedParts(answer: string): {
  readonly note: string;
  readonly mark: string;
  readonly json: string;
} {
  const [, note = "", mark = "", json = "", end] =
    /^(.*)\n<(recorded-[\w-]{12})>\n(.*)\n<\/(recorded-[\w-]{12})>$/.exec(answer) ?? [];
  if (mark === "" || mark !== end) throw new Error(`This answer is not framed: ${answer}`);
  if (/<\s*\/?\s*recorded/i.test(json)) throw new Error("There is a mark in the frame.");
  return { note, mark, json };
}

export function readFramed(answer: string) {
  return JSON.parse(framedParts(answer).json);
}
