/** Several overrides in one line of text. */

/** What belongs to one word: quoted or bracketed parts, and everything else but a space. */
const WORD = /(?:"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^\s"'[{])+/g;

/** The words of a line such as `a=1 b=[0, 1]`: quotes and brackets keep what is inside together. */
export function splitWords(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}
