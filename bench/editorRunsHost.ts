/**
 * The extension's side of the runs table in a separate process, as in the editor: the parent process drives the browser and forwards
 * messages. A string message is the folder of runs to open; anything else comes from the page.
 */

import {
  type ListedRuns,
  listRunsIn,
  openRunsHost,
  type RunsHost,
} from "../test/dashboard/runsHost.ts";

const lists = new Map<string, Promise<ListedRuns>>();
let host: RunsHost | null = null;

process.on("message", (message) => {
  if (typeof message === "string") void open(message);
  else host?.session.receive(message);
});
process.on("disconnect", () => process.exit(0));

async function open(parent: string): Promise<void> {
  host?.close();
  const list = lists.get(parent) ?? listRunsIn(parent);
  lists.set(parent, list);
  host = openRunsHost(await list, null, (message) => process.send?.(message));
  process.send?.("opened");
}
