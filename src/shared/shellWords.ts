/** Commands as people copy them into a shell. */

/** One word for a shell; on Windows for PowerShell and, unless it holds `"`, `$` or a backtick, for cmd. */
export function shellWord(word: string, isWindows = false): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  const isSpecial = (isWindows ? /["$`]/ : /["$`\\!]/).test(word);
  return isSpecial ? `'${word.replaceAll("'", isWindows ? "''" : "'\\''")}'` : `"${word}"`;
}

/**
 * A program and its arguments. On Windows the program has `\`, because cmd takes what follows a `/` for an option; PowerShell
 * would need `&` before a program in quotation marks, which cmd refuses.
 */
export function shellWords([program = "", ...args]: readonly string[], isWindows = false): string {
  const first = isWindows ? program.replaceAll("/", "\\") : program;
  return [first, ...args].map((word) => shellWord(word, isWindows)).join(" ");
}

/** Commands one after the other: on Windows each on a line, because its shells have no common sign between commands. */
export function shellCommands(commands: readonly (readonly string[])[], isWindows = false): string {
  return commands.map((words) => shellWords(words, isWindows)).join(isWindows ? "\n" : " && ");
}
