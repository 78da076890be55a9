import { ChildProcess } from "node:child_process";

/** What Node returns where no more files can be opened: it has no streams, and no event but an error. */
export function unstartedChild(): ChildProcess {
  const child = new ChildProcess();
  process.nextTick(() => child.emit("error", new Error("spawn EMFILE")));
  return child;
}
