/** Runs the built program in its own folder, watched from start to end. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Seen, watchProcesses } from "./secretsProcesses.ts";

export interface Place {
  /** Holds the configuration and `.env`. */
  readonly project: string;
  readonly home: string;
  readonly temp: string;
}

export interface WatchedRun {
  readonly pid: number;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seen: Seen;
}

const PROGRAM = resolve("dist/trainer/tinker-rl.js");
/** A run that hangs must not hold up everything after it. */
const LIMIT_MS = 120_000;

export function makePlace(root: string, name: string): Place {
  const folder = join(root, name);
  const place = {
    project: join(folder, "project"),
    home: join(folder, "home"),
    temp: join(folder, "temp"),
  };
  for (const part of Object.values(place)) mkdirSync(part, { recursive: true });
  return place;
}

/** Variables of a shell that has none of the keys. */
export function plainVariables({ home, temp }: Place): Readonly<Record<string, string>> {
  return { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: temp };
}

/** Runs a command to its end; `meanwhile` is called with every chunk of its output. */
export async function runWatched(
  place: Place,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  meanwhile: (stdout: string) => void = () => undefined,
): Promise<WatchedRun> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: place.project,
    env: { ...plainVariables(place), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  const pid = child.pid ?? 0;
  const watch = watchProcesses(pid, place.temp);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    meanwhile(stdout);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  return { pid, code, stdout, stderr, seen: watch.stop() };
}
