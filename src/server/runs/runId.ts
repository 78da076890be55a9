/** Run ids for pages, which must not see paths. */

import { sha256 } from "../../node/hash.ts";

export function runIdOf(folder: string): string {
  return sha256(folder).slice(0, 16);
}
