/** Splits one line of text into several overrides, or into several values of one override. */

/** A quoted string or a single character. */
const PIECE = /"[^"]*"|'[^']*'|./gsu;

/** The words of a line such as `a=1 b=[0, 1]`; quotes and brackets keep their contents together. */
export function splitWords(text: string): readonly string[] {
  return splitAt(/^\s$/, text).filter((word) => word !== "");
}

/** The trimmed values of a list such as `1e-5,[0, 1],"a,b"`; commas within quotes or brackets do not separate. */
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

/** Drops overrides that are repeated later: only the last of identical ones stays, at its position. */
export function lastOfEach(overrides: readonly string[]): readonly string[] {
  return overrides.filter((each, index) => overrides.lastIndexOf(each) === index);
}
