/** Python's `str.replace` for templates, with a bound on the length of the result. */

const MAX_CHARACTERS = 8_000_000;

/** `times` is a number, the named arguments with `count`, or absent for all. Throws for what are no texts, and for a result too long. */
export function replaceText(text: unknown, from: unknown, to: unknown, times?: unknown): string {
  if (typeof text !== "string" || typeof from !== "string" || typeof to !== "string") {
    throw new Error("replace() is called with something other than text");
  }
  const pieces = from === "" ? ["", ...text, ""] : text.split(from);
  const limit = limitOf(times);
  const count = Math.min(pieces.length - 1, limit);
  if (text.length + count * (to.length - from.length) > MAX_CHARACTERS) {
    throw new Error(
      `it makes a text or list longer than ${MAX_CHARACTERS / 1e6} million characters`,
    );
  }
  if (count === pieces.length - 1) return pieces.join(to);
  return count === 0
    ? text
    : [pieces.slice(0, count + 1).join(to), ...pieces.slice(count + 1)].join(from);
}

function limitOf(times: unknown): number {
  const given: unknown = times instanceof Map ? times.get("count")?.value : times;
  return typeof given === "number" && given >= 0 ? given : Number.POSITIVE_INFINITY;
}
