/**
 * Which row a click was on. A row's command carries no arguments: VS Code keeps those on its side of a call, and forgets them as
 * soon as the row is drawn again (`CommandsConverter` in its `extHostCommands.ts`), so that a click in that moment finds nothing.
 */

import { systemClock } from "../../node/clock.ts";

const ASK_MS = 25;
const LIMIT_MS = 2_000;

/** The row that is selected in a tree; null when none is. While the tree is drawn again VS Code does not know, so this waits. */
export async function selectedRow<Row>(
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
