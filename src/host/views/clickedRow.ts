/**
 * Finds the row that was clicked. Row commands have no arguments, because VS Code keeps those on its side and forgets them when the row is
 * redrawn (`CommandsConverter` in its `extHostCommands.ts`), so a click at that moment would find nothing.
 */

import { systemClock } from "../../node/clock.ts";

const ASK_MS = 25;
const LIMIT_MS = 2_000;

/** The selected row in a tree; null if there is none. Waits while the tree is being redrawn, because VS Code reports no selection then. */
export async function clickedRow<Row>(
  view: { readonly selection: readonly Row[] },
  clock: Pick<typeof systemClock, "sleep"> = systemClock,
): Promise<Row | null> {
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += ASK_MS) {
    const [row] = view.selection;
    if (row !== undefined) return row;
    await clock.sleep(ASK_MS);
  }
  return null;
}
