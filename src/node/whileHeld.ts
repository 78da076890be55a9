/** Retries file changes while other programs, such as virus scanners and sync clients on Windows, hold the file. */

import { errorCode } from "./errorCode.ts";

/** Error codes for a held file. */
const HELD: readonly string[] = ["EPERM", "EACCES", "EBUSY"];
const FIRST_PAUSE_MS = 20;
/** Pauses double, for a total of ten seconds. */
const PAUSES = 9;

/** On Windows, retries `change` while a file is held, for up to ten seconds. @throws what `change` throws */
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
