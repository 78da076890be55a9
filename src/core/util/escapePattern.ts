/** Escapes the text for use in a regular expression, outside of character classes. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
