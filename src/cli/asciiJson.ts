/** Lines for an editor that reads what the program prints. */

/** The terminal makes other characters visible, which would change the texts. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
