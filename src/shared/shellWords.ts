/** Commands as people copy them into a shell. */

/** One word for a shell. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}

export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
