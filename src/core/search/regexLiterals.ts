/** The texts without which a regular expression cannot match. */

/** An escape, a class, a counted repetition, or one character. */
const TOKEN = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*(?:\]|$)|\{\d+(?:,\d*)?\}|[\s\S]/g;
/** Escapes that continue after their letter: an expression with one is searched for without the index. */
const LONG_ESCAPE = /^\\[pPkuxc\d]/;
/** What may leave out the character before it. */
const OPTION = /^(?:[*?]|\{.+\})$/;
/** What stands for no certain character or for a whole group, or repeats what stands before. */
const OPEN_TOKEN = /^(?:\\[dDwWsSbBntrfv]|\[[\s\S]*\]|[.^$+(\ud800-\udfff])$/;

/**
 * Literals that every match of `source` contains; none when that is not known. Groups and classes are passed over, so the result is
 * smaller than it could be and never too large. `source` is a valid expression without the flags `u`, `v` and `x`.
 */
export function requiredLiterals(source: string): readonly string[] {
  const literals: string[] = [];
  let run = "";
  const end = (): void => {
    literals.push(run);
    run = "";
  };
  for (const token of outerTokens(source)) {
    if (token === "|" || LONG_ESCAPE.test(token)) return [];
    if (OPTION.test(token)) run = run.slice(0, -1);
    if (OPTION.test(token) || OPEN_TOKEN.test(token)) end();
    else run += token.replace(/^\\/, "");
  }
  end();
  return literals.filter((literal) => literal !== "");
}

/** Those outside of groups; `(` stands for a group. */
function outerTokens(source: string): readonly string[] {
  let depth = 0;
  return [...source.matchAll(TOKEN)].flatMap(([token]) => {
    const isOutside = depth === 0;
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    return isOutside ? [token] : [];
  });
}
