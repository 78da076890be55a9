/** The server process of a window's extension. */

import { descendants } from "../workbench/processes.ts";
import type { Stage } from "./journey.ts";

/** Its process id; undefined while none runs. */
export function tinkerRlServer({ hostPid }: Stage["server"]): number | undefined {
  const host = hostPid();
  const below = host === undefined ? [] : descendants(host);
  return below.find(({ args }) => args.endsWith("tinker-rl.js lsp"))?.pid;
}
