/** Watches a process and all its descendants while they live: their variables, their command lines, and their files. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What was seen of one process. */
export interface Shown {
  readonly pid: number;
  /** Its command line. */
  readonly name: string;
  readonly text: string;
}

export interface Seen {
  readonly variables: readonly Shown[];
  readonly commandLines: readonly Shown[];
  /** Contents of files below the folder, by path and size. */
  readonly files: ReadonlyMap<string, Buffer>;
}

const LOOK_EVERY_MS = 100;
/** Sockets and larger files are not token files. */
const MAX_FILE_BYTES = 1_000_000;

/** Inspects once immediately and then repeatedly; `stop` ends that. */
export function watchProcesses(
  root: number,
  folder: string,
  everyMs = LOOK_EVERY_MS,
): { stop(): Seen } {
  const variables = new Map<string, Shown>();
  const commandLines = new Map<string, Shown>();
  const files = new Map<string, Buffer>();
  const keep = (shown: Map<string, Shown>, { pid, name, text }: Shown): void => {
    if (text !== "") shown.set(`${pid} ${text}`, { pid, name, text });
  };
  const look = (): void => {
    const first = readProc(root, "cmdline");
    for (const pid of withDescendants(root)) {
      const commandLine = readProc(pid, "cmdline");
      // Until it executes another program, a child equals its parent.
      if (pid !== root && commandLine === first) continue;
      const name = commandLine.replaceAll("\0", " ");
      keep(commandLines, { pid, name, text: commandLine });
      keep(variables, { pid, name, text: readProc(pid, "environ") });
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
      return {
        variables: [...variables.values()],
        commandLines: [...commandLines.values()],
        files,
      };
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
