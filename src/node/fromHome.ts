/** Paths as people see them. */

import { homedir } from "node:os";
import { sep } from "node:path";

/** `~` in place of the user's home folder. */
export function fromHome(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}
