/** Looks at a process and all its descendants while they live: their variables, their command lines, and the files they keep. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Seen {
  /** Each distinct text once, with the process that it was seen at. */
  readonly variables: ReadonlyMap<string, string>;
  readonly commandLines: ReadonlyMap<string, string>;
  /** Contents of files below the folder, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly processes: number;
  readonly looks: number;
}

const LOOK_EVERY_MS = 100;
/** Sockets and what is larger are no token files. */
const MAX_FILE_BYTES = 1_000_000;

/** Looks at once and then again and again; `stop` looks no more. */
export function watchProcesses(
  root: number,
  folder: string,
  everyMs = LOOK_EVERY_MS,
): { stop(): Seen } {
  const variables = new Map<string, string>();
  const commandLines = new Map<string, string>();
  const files = new Map<string, Buffer>();
  const known = new Set<number>();
  let looks = 0;
  const look = (): void => {
    looks += 1;
    for (const pid of withDescendants(root)) {
      known.add(pid);
      const commandLine = readProc(pid, "cmdline");
      if (commandLine !== "") commandLines.set(commandLine, `process ${pid}`);
      const environ = readProc(pid, "environ");
      if (environ !== "") variables.set(environ, commandLine.replaceAll("\0", " "));
    }
    for (const path of smallFiles(folder)) {
      const content = readIfThere(path);
      if (content !== null) files.set(`${path} ${content.length}`, content);
    }
  };
  look();
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return { variables, commandLines, files, processes: known.size, looks };
    },
  };
}

function withDescendants(pid: number): readonly number[] {
  let children: readonly number[] = [];
  try {
    children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
        .split(" ")
        .filter((word) => word !== "")
        .map(Number),
    );
  } catch {
    // It has just ended.
  }
  return [pid, ...children.flatMap(withDescendants)];
}

function readProc(pid: number, name: string): string {
  return readIfThere(`/proc/${pid}/${name}`)?.toString("utf8") ?? "";
}

function smallFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ path, name }) => join(path, name))
      .filter((path) => statSync(path).size <= MAX_FILE_BYTES);
  } catch {
    return [];
  }
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
