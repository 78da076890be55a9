/** The exit code of {@link ./keepCommand.ts} for a command that the system cannot start; no shell uses it. */
export const NOT_STARTED = 253;

/** The end of the error message about such a command, without a period; on Windows it explains scripts. */
export function scriptHint(): string {
  return process.platform === "win32"
    ? ". Windows starts no scripts, such as those that npm installs: name what runs it, as in `[node, cli.js]` or `[cmd, /c, npx]`"
    : "";
}
