/** JSON output for programs. */

import type { Line } from "./line.ts";

/** Escapes non-ASCII characters, because the terminal would replace some of them and so change the texts. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function jsonLine(value: unknown): Line {
  return [asciiJson(value)];
}
