/** Reads the process table (Linux). */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

/** Process `pid` and all its descendants. */
export function descendants(pid: number): readonly RunningProcess[] {
  const all = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .flatMap(parseLine);
  const found = all.filter((one) => one.pid === pid);
  for (const known of found) found.push(...all.filter((one) => one.parent === known.pid));
  return found;
}

function parseLine(line: string): readonly RunningProcess[] {
  const parts = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
  if (parts === null) return [];
  return [{ pid: Number(parts[1]), parent: Number(parts[2]), args: parts[3] ?? "" }];
}

/** Memory of a process in MB; shared pages count proportionally (PSS). */
export function memoryMb(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
