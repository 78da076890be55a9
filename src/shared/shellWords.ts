/** Quotes commands so that users can paste them into a shell. */

/** Quotes one word for a shell: on Windows for PowerShell and, unless it contains `"`, `$` or a backtick, for cmd. */
export function shellWord(word: string, isWindows = false): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  const isSpecial = (isWindows ? /["$`]/ : /["$`\\!]/).test(word);
  return isSpecial ? `'${word.replaceAll("'", isWindows ? "''" : "'\\''")}'` : `"${word}"`;
}

/**
 * A program and its arguments as one command line. On Windows the program path gets `\`, because cmd parses `/` as the start of an option;
 * PowerShell would need `&` before a quoted program, which cmd rejects.
 */
export function shellWords([program = "", ...args]: readonly string[], isWindows = false): string {
  const first = isWindows ? program.replaceAll("/", "\\") : program;
  return [first, ...args].map((word) => shellWord(word, isWindows)).join(" ");
}

/** A sequence of commands: on Windows one per line, because cmd and PowerShell share no separator. */
export function shellCommands(commands: readonly (readonly string[])[], isWindows = false): string {
  return commands.map((words) => shellWords(words, isWindows)).join(isWindows ? "\n" : " && ");
}
