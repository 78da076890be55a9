/** Finds environments in Python code from its text, without running it. */

export interface PythonEnvironment {
  readonly className: string;
  /** Name on its server, from its `name` method or its class name. */
  readonly name: string;
  /** From 0. */
  readonly line: number;
}

const PACKAGE = /^[ \t]*(?:from|import)[ \t]+(?:openreward|ors)\b/m;
const CLASS = /^class[ \t]+(\w+)[ \t]*\(([^()]*)\)[ \t]*:/gm;
const BASE = /(?:^|,)\s*(?:\w+\.)*Environment\s*(?:,|$)/;
const OWN_NAME = /\bdef name\([^)]*\)[^:]*:(?:\s*"""[^"]*""")?\s*return ["']([\w/-]+)["']/;

/** Classes derived from `Environment` of `openreward` or `ors`, in source order. */
export function pythonEnvironments(text: string): readonly PythonEnvironment[] {
  if (!PACKAGE.test(text)) return [];
  const classes = [...text.matchAll(CLASS)];
  return classes.flatMap(({ index, 1: className = "", 2: bases = "" }, position) => {
    if (!BASE.test(bases)) return [];
    const body = text.slice(index, classes[position + 1]?.index);
    const name = OWN_NAME.exec(body)?.[1] ?? className.toLowerCase();
    return [{ className, name, line: text.slice(0, index).split("\n").length - 1 }];
  });
}
