/** Lines for programs that read what this one prints. */

import type { Line } from "./line.ts";

/** The terminal makes other characters visible, which would change the texts. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function jsonLine(value: unknown): Line {
  return [asciiJson(value)];
}
