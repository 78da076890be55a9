/** Name patterns in which `*` matches any text and every other character matches itself. */

/** Whether the text matches the pattern. */
export function fitsWildcard(text: string, pattern: string): boolean {
  return fitsParts(text, pattern.split("*"));
}

/** Whether the text consists of these parts with arbitrary text between them. Each part is searched for only after the previous ones. */
export function fitsParts(text: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    // The leftmost match leaves the most text for the remaining parts.
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
