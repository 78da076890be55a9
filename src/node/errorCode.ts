/** The code of an error of the system, such as `ENOENT`; empty for any other. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const code: unknown = Object.getOwnPropertyDescriptor(error, "code")?.value;
  return typeof code === "string" ? code : "";
}
