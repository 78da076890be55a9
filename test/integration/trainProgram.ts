/** Runs the built program as a user would: in a separate process, with keys from its environment. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const PROGRAM_FOLDER = fileURLToPath(new URL("../../dist/trainer", import.meta.url));

export type Variables = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end; `input` is typed input. */
export function runProgram(
  args: readonly string[],
  variables: Variables = {},
  input?: string,
): Promise<Ended> {
  const child = startProgram(args, variables, false, input === undefined ? "ignore" : "pipe");
  child.stdin?.end(input);
  return endOf(child);
}

/** Collects the program's output until it has ended; call it before any output arrives. */
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

/** Starts `serve` and reads from its output what a user would copy. */
export async function startServing(store: string): Promise<Serving> {
  const child = startProgram(["serve", "--store", store], {});
  const read = await exportsOf(child, "OPENREWARD_API_KEY");
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

/** Starts a command; `isLeader` puts it and its children into their own process group. */
export function startProgram(
  args: readonly string[],
  variables: Variables,
  isLeader = false,
  stdin: "ignore" | "pipe" = "ignore",
): ChildProcess {
  const program = join(PROGRAM_FOLDER, "tinker-rl.js");
  const { PATH, HOME, TMPDIR, TINKER_RL_STORE } = process.env;
  const own = { PATH, HOME, TMPDIR, TINKER_RL_STORE, NO_PROXY: "*" };
  return spawn(process.execPath, [program, ...args], {
    env: { ...own, ...variables },
    stdio: [stdin, "pipe", "pipe"],
    detached: isLeader,
  });
}

/** Reads the shell variables that a program prints, up to the last one. */
export async function exportsOf(
  child: ChildProcess,
  last: string,
): Promise<(name: string) => string> {
  const { stdout } = child;
  if (stdout === null) throw new Error("the program has no output");
  const found = new Map<string, string>();
  for await (const line of createInterface({ input: stdout })) {
    const [, name, value] = /^\s*export (\w+)=(\S+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, value);
    if (name === last) break;
  }
  // Keeps draining its output so that the pipe does not fill up.
  stdout.resume();
  return (name) => {
    const value = found.get(name);
    if (value === undefined) throw new Error(`the program did not print ${name}`);
    return value;
  };
}
