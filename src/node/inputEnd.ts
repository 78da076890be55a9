/** The end of what another program sends over standard input. */

import { once } from "node:events";

/** Resolves when the other program has left; of a file, which closes nothing, when all of it was dealt with. */
export async function inputEnd(): Promise<void> {
  await Promise.race([once(process.stdin, "close"), once(process, "beforeExit")]);
}
