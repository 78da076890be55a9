/** Finds literals that every match of a regular expression contains. */

/** An escape, a class, a counted repetition, or a single character. */
const TOKEN = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*(?:\]|$)|\{\d+(?:,\d*)?\}|[\s\S]/g;
/** Escapes of variable length. An expression with one is searched without the index. */
const LONG_ESCAPE = /^\\[pPkuxc\d]/;
/** Quantifiers that make the previous character optional. */
const OPTION = /^(?:[*?]|\{.+\})$/;
/** Tokens that are not a single known character, or that repeat the previous one. */
const OPEN_TOKEN = /^(?:\\[dDwWsSbBntrfv]|\[[\s\S]*\]|[.^$+(\ud800-\udfff])$/;

/**
 * Literals that every match of `source` contains; empty if unknown. Groups and classes are skipped, so some literals may be
 * missing, but none is wrong. `source` must be a valid expression without the flags `u`, `v` and `x`.
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

/** Tokens outside of groups. `(` represents a group. */
function outerTokens(source: string): readonly string[] {
  let depth = 0;
  return [...source.matchAll(TOKEN)].flatMap(([token]) => {
    const isOutside = depth === 0;
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    return isOutside ? [token] : [];
  });
}
