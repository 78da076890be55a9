/** Trims text like Python, for which chat templates are written. */

/** Whitespace of Python's `strip`, which templates call. Unlike `trim`, it excludes U+FEFF and includes U+001C to U+001F. */
const BLANKS =
  "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const AT_START = new RegExp(`^${BLANKS}`);
const AT_END = new RegExp(`(?<!${BLANKS.slice(0, -1)})${BLANKS}$`);

/** Like `str.strip()`. */
export function strip(text: string): string {
  return stripEnd(text.replace(AT_START, ""));
}

/** Like `str.rstrip()`. */
export function stripEnd(text: string): string {
  return text.replace(AT_END, "");
}
