/** Trims and joins lines in linear time; a regular expression like `/x+$/` retries at every position in a run of `x`. */

/** Removes trailing characters that match `character`, a regular expression for a single one. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Joins the lines: each line break with its surrounding whitespace becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks));
}
