/** Several overrides, or several values of one, in one line of text. */

/** What belongs to one word: quoted or bracketed parts, which reach to the end where they are not closed, and all else but a space. */
const WORD = /(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|\[[^\]]*(?:\]|$)|\{[^}]*(?:\}|$)|[^\s"'[{])+/g;

/** A quoted part, or one character. */
const VALUE_PIECE = /"[^"]*"|'[^']*'|./gsu;

/** The words of a line such as `a=1 b=[0, 1]`: quotes and brackets keep what is inside together. */
export function splitWords(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** The values of a list such as `1e-5,[0, 1],"a,b"`, trimmed: a comma within quotes or brackets separates nothing. */
export function splitValues(text: string): readonly string[] {
  const values: string[] = [""];
  let depth = 0;
  for (const [piece] of text.matchAll(VALUE_PIECE)) {
    if ("[{".includes(piece)) depth += 1;
    if ("]}".includes(piece)) depth -= 1;
    if (piece === "," && depth === 0) values.push("");
    else values.push((values.pop() ?? "") + piece);
  }
  return values.map((value) => value.trim());
}

/** Without those that are given again later: of equal ones the last holds, and its place among the others decides. */
export function lastOfEach(overrides: readonly string[]): readonly string[] {
  return overrides.filter((each, index) => overrides.lastIndexOf(each) === index);
}
