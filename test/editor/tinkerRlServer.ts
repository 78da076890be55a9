/** The process that answers the extension of a window. */

import { descendants } from "../workbench/processes.ts";
import type { Stage } from "./journey.ts";

/** Its number; undefined while none runs. */
export function tinkerRlServer({ hostPid }: Stage["server"]): number | undefined {
  const host = hostPid();
  const below = host === undefined ? [] : descendants(host);
  return below.find(({ args }) => args.endsWith("tinker-rl.js lsp"))?.pid;
}
