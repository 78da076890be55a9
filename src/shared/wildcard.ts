/** Patterns for names, in which `*` matches any text and every other character for itself. */

/** Whether the text fits the pattern. */
export function fitsWildcard(text: string, pattern: string): boolean {
  return fitsParts(text, pattern.split("*"));
}

/** Whether the text is these parts with any text between one and the next. Each part is looked for once, behind those before it. */
export function fitsParts(text: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
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
