/** Abbreviates paths for display. */

import { homedir } from "node:os";
import { sep } from "node:path";

/** Replaces the user's home folder by `~`. */
export function fromHome(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}
