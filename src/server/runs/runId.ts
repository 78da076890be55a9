/** How pages know a run: without its path. */

import { createHash } from "node:crypto";

export function runIdOf(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 16);
}
