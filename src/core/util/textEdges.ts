/** Cuts and joins at the edges of lines and texts, in time linear in the text: `/x+$/` tries again at each place in a run of `x`. */

/** The text without the characters at its end that `character`, a regular expression for one, matches. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The lines one behind the other with a space between: each break, with the white space around it, becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks));
}
