/** How the program was called, so that printed commands can be copied. */

import { basename, dirname, relative } from "node:path";
import { shellWord } from "../../shared/shellWords.ts";

export interface Invocation {
  /** What to type for the program: `tinker-rl`, or `node dist/trainer/tinker-rl.js`; null if an editor started it. */
  readonly program: string | null;
  /** Working directory. */
  readonly cwd: string;
  /** The words that resume what is shown; absent = `resume` with the run's folder. */
  readonly resume?: readonly string[];
}

/** `scriptPath` is the path of the started script, as in `process.argv[1]`. */
export function describeInvocation(scriptPath: string, cwd: string): Invocation {
  const isScript = /\.[cm]?[jt]s$/.test(scriptPath);
  if (isScript) return { program: `node ${word(shortPath(scriptPath, cwd))}`, cwd };
  const isPackageLink = basename(dirname(scriptPath)) === ".bin";
  const name = basename(scriptPath);
  return { program: isPackageLink ? `npx ${name}` : name, cwd };
}

/** The path relative to `cwd` if that is shorter. */
export function shortPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path) || ".";
  return fromHere.length < path.length ? fromHere : path;
}

/** A command to copy, for example `tinker-rl show .tinker-rl/runs/x --step 1`. */
export function commandLine(
  { program }: Pick<Invocation, "program">,
  ...words: readonly string[]
): string {
  return `${program ?? "tinker-rl"} ${words.map(word).join(" ")}`;
}

const word = (text: string): string => shellWord(text, process.platform === "win32");
