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
  const words = programWords(scriptPath, (path) => word(shortPath(path, cwd)));
  return { program: words.join(" "), cwd };
}

/** The command that starts this program; `shown` is how it names a script. */
export function programWords(
  scriptPath: string,
  shown: (path: string) => string,
): readonly string[] {
  if (/\.[cm]?[jt]s$/.test(scriptPath)) return ["node", shown(scriptPath)];
  const name = basename(scriptPath);
  return basename(dirname(scriptPath)) === ".bin" ? ["npx", name] : [name];
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
