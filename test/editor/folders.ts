/** What a journey finds in its folder. */

import { cpSync } from "node:fs";

/** The local example, without the runs that somebody made in it. */
export function copyExample(folder: string): void {
  cpSync("examples/local", folder, {
    recursive: true,
    filter: (path) => !path.includes(".tinker-rl"),
  });
}
