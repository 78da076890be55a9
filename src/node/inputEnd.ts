/** The end of another program's input on standard input. */

import { once } from "node:events";

/** Resolves when the other program disconnects. For input from a file, which has no such event, when all of it is processed. */
export async function inputEnd(): Promise<void> {
  await Promise.race([once(process.stdin, "close"), once(process, "beforeExit")]);
}
