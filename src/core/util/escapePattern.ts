/** The text as the source of a regular expression that matches just this text, outside of character classes. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
