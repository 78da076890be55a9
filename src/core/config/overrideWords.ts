/** Several overrides, or several values of one, in one line of text. */

/** A quoted part, or one character. */
const PIECE = /"[^"]*"|'[^']*'|./gsu;

/** The words of a line such as `a=1 b=[0, 1]`: quotes and brackets keep what is inside together. */
export function splitWords(text: string): readonly string[] {
  return splitAt(/^\s$/, text).filter((word) => word !== "");
}

/** The values of a list such as `1e-5,[0, 1],"a,b"`, trimmed: a comma within quotes or brackets separates nothing. */
export function splitValues(text: string): readonly string[] {
  return splitAt(/^,$/, text).map((value) => value.trim());
}

function splitAt(separator: RegExp, text: string): readonly string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if ("[{".includes(piece)) depth += 1;
    if ("]}".includes(piece)) depth = Math.max(0, depth - 1);
    if (depth === 0 && separator.test(piece)) parts.push("");
    else parts.push((parts.pop() ?? "") + piece);
  }
  return parts;
}

/** Without those that are given again later: of equal ones the last holds, and its place among the others decides. */
export function lastOfEach(overrides: readonly string[]): readonly string[] {
  return overrides.filter((each, index) => overrides.lastIndexOf(each) === index);
}
