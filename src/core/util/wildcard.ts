/** Patterns for names, in which `*` stands for any text and every other character for itself. */

/** Takes time linear in the pattern and, for each of its parts, in what the text has left. */
export function fitsWildcard(text: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    // The leftmost place leaves the most text for the parts that follow.
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
