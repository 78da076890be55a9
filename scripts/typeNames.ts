/** Checks exported types: a name must mean the same thing throughout the program. */

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A name declared with more than one meaning. */
export interface SharedName {
  readonly name: string;
  readonly paths: readonly string[];
}

const DECLARATION = /^export (?:declare )?(?:abstract )?(interface|type|class|enum) (\w+)/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/** Sorted by name. Identical declarations count as one meaning. */
export function sharedTypeNames(files: readonly SourceFile[]): readonly SharedName[] {
  const meanings = new Map<string, Map<string, string>>();
  for (const { path, text } of files) {
    const code = text.replace(COMMENT, "");
    for (const { 0: head, 1: kind = "", 2: name = "", index } of code.matchAll(DECLARATION)) {
      const body = declarationAt(code, index + head.length, kind).replace(/\s+/g, " ");
      const known = meanings.get(name) ?? new Map<string, string>();
      meanings.set(name, known.set(body, path));
    }
  }
  return [...meanings]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => ({ name, paths: [...paths.values()] }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** The text after the name: up to the semicolon for a type, up to the closing brace for anything else. */
function declarationAt(code: string, start: number, kind: string): string {
  let depth = 0;
  for (let end = start; end < code.length; end += 1) {
    const character = code[end] ?? "";
    if ("{[(".includes(character)) depth += 1;
    if ("}])".includes(character)) depth -= 1;
    const isEnd = kind === "type" ? character === ";" : character === "}";
    if (depth === 0 && isEnd) return code.slice(start, end);
  }
  return code.slice(start);
}
