/** Changes of files that others hold for a moment, as virus scanners and sync clients do on Windows. */

import { errorCode } from "./errorCode.ts";

/** How a file is said to be held. */
const HELD: readonly string[] = ["EPERM", "EACCES", "EBUSY"];
const FIRST_PAUSE_MS = 20;
/** The pauses double: ten seconds in all. */
const PAUSES = 9;

/** Repeats `change` on Windows while a file is held, for at most ten seconds. @throws what `change` throws */
export async function whileHeld(change: () => Promise<void>): Promise<void> {
  for (let pause = 0; ; pause += 1) {
    try {
      return await change();
    } catch (error) {
      const isHeld = process.platform === "win32" && HELD.includes(errorCode(error));
      if (!isHeld || pause === PAUSES) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** pause));
    }
  }
}
