/** Runs the built program as a user would: in a process of its own, with keys from its environment. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROGRAM_FOLDER } from "./localRun.ts";

export type Variables = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export function runProgram(args: readonly string[], variables: Variables): Promise<Ended> {
  return endOf(startProgram(args, variables));
}

/** What the program has said, once it has ended; to be called before it says anything. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (text) => {
    output.stdout += text;
  });
  child.stderr?.on("data", (text) => {
    output.stderr += text;
  });
  const [code] = await once(child, "close");
  return { code, ...output };
}

export interface Serving {
  readonly tinkerUrl: string;
  readonly environmentsUrl: string;
  readonly key: string;
  readonly pid: number;
  /** Interrupts it, as Ctrl+C does, and waits for its end. */
  stop(): Promise<void>;
}

/** Starts `serve` and reads from its lines what a user would copy. */
export async function startServing(store: string): Promise<Serving> {
  const child = startProgram(["serve", "--store", store], {});
  const found = new Map<string, string>();
  for await (const line of createInterface({ input: output(child) })) {
    const [, name, value] = /^\s*export (\w+)=(\S+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, value);
    if (name === "OPENREWARD_API_KEY") break;
  }
  // What it prints from now on must not fill the pipe.
  output(child).resume();
  const read = (name: string): string => {
    const value = found.get(name);
    if (value === undefined) throw new Error(`serve did not print ${name}`);
    return value;
  };
  return {
    tinkerUrl: read("TINKER_BASE_URL"),
    environmentsUrl: read("OPENREWARD_SESSION_URL"),
    key: read("TINKER_API_KEY"),
    pid: child.pid ?? 0,
    stop: async () => {
      const closed = once(child, "close");
      child.kill("SIGINT");
      await closed;
    },
  };
}

/** Starts a command; `isLeader` puts it and its children into a group of their own. */
export function startProgram(
  args: readonly string[],
  variables: Variables,
  isLeader = false,
): ChildProcess {
  const program = join(PROGRAM_FOLDER, "tinker-rl.js");
  const { PATH, HOME, TMPDIR, TINKER_RL_STORE } = process.env;
  const own = { PATH, HOME, TMPDIR, TINKER_RL_STORE, NO_PROXY: "*" };
  return spawn(process.execPath, [program, ...args], {
    env: { ...own, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: isLeader,
  });
}

function output({ stdout }: ChildProcess) {
  if (stdout === null) throw new Error("the program has no output");
  return stdout;
}
