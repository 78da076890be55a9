import { ChildProcess } from "node:child_process";

/** What Node returns when no more files can be opened: a child without streams, whose only event is an error. */
export function unstartedChild(): ChildProcess {
  const child = new ChildProcess();
  process.nextTick(() => child.emit("error", new Error("spawn EMFILE")));
  return child;
}
