/** Starts one of Tinker RL's own servers as a child process that ends with its parent. */

import { type ChildProcess, spawn } from "node:child_process";
import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { systemClock } from "../../node/clock.ts";

export interface ChildServer {
  /** Socket path, or `http://127.0.0.1:PORT`. */
  readonly address: string;
  /** SHA-256 of each dataset file that it serves, by environment. */
  readonly datasets: Readonly<Record<string, string>>;
  /** Aborted with AppError `local-service` if the process ends unexpectedly. */
  readonly failed: AbortSignal;
  /** Ends the process and waits for it. */
  close(): Promise<void>;
}

export interface ChildOptions {
  /** Name used in messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Passed on standard input, with the argument `--keyed`, because other users can read variables and arguments. */
  readonly key?: string;
  /** The first line of its standard input, instead of a key; `args` determine its meaning. */
  readonly input?: string | undefined;
  /** For a server that reads a lot before it listens; absent = one minute. */
  readonly startLimitMs?: number | undefined;
}

const readySchema = z.discriminatedUnion("ready", [
  z.object({
    ready: z.literal(true),
    address: z.string(),
    datasets: z.record(z.string(), z.string()).default({}),
  }),
  z.object({
    ready: z.literal(false),
    error: z.object({
      code: z.literal("dataset-invalid"),
      message: z.string(),
      configPath: z.string(),
    }),
  }),
]);
type Ready = Extract<z.infer<typeof readySchema>, { ready: true }>;

const START_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 5_000;
const KEPT_OUTPUT = 2_000;
const NEXT_STEP = "Start or resume the run; what was saved is kept.";
/** Characters of output quoted in an error: the last ones, which say why the server ended. */
const SHOWN_OUTPUT = 600;
/** A child gets what Node and the file system need, but none of the user's keys. */
const PASSED_VARIABLES = [
  ...["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LOCALAPPDATA"],
  // Makes a desktop editor's executable behave as Node.
  "ELECTRON_RUN_AS_NODE",
];

/**
 * Resolves once the server listens.
 * @throws AppError `local-service` with the end of its output if it does not start, `dataset-invalid` as reported by the server
 */
export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const { key, input = key } = options;
  const args = [...options.args, ...(key === undefined ? [] : ["--keyed"])];
  // If no more files can be opened, the child has no streams and emits nothing but an error.
  const child: ChildProcess = spawn(process.execPath, [options.program, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: childVariables(),
    // Signals to the whole group, or to the console on Windows, are for the parent, which needs its children to save; they end when
    // their input closes.
    detached: true,
  });
  // If the child exits at once, the error quotes its output; the broken pipe itself says nothing.
  child.stdin?.on("error", () => undefined);
  if (input !== undefined) child.stdin?.write(`${input}\n`);
  const output = collectErrors(child);
  const { address, datasets } = await untilReady(child, options, output);
  // Keeps reading, because the child would block on a full pipe.
  child.stdout?.resume();
  const failing = new AbortController();
  let isClosing = false;
  // `exit` may fire before the last output has been read.
  child.once("close", (code, signal) => {
    if (!isClosing) failing.abort(endedEarly(options.name, signal ?? `code ${code}`, output()));
  });
  return {
    address,
    datasets,
    failed: failing.signal,
    close: () => {
      isClosing = true;
      return closeChild(child);
    },
  };
}

function endedEarly(name: string, how: string, output: string): AppError {
  const words = output.slice(-SHOWN_OUTPUT);
  const isKilled = how === "SIGKILL" && words === "";
  const hint = isKilled ? " The operating system does this when memory runs short." : "";
  const reported = words === "" ? "." : `: ${words}`;
  return new AppError(
    "local-service",
    `${name} ended unexpectedly (${how})${reported}${hint} ${NEXT_STEP}`,
  );
}

/** The message of {@link ChildServer.failed} without its next step, for callers that take that step themselves. */
export function withoutResume({ message }: AppError): string {
  return message.replace(NEXT_STEP, "").trimEnd();
}

/** Variables of this process that a child gets, plus the named ones; none of the user's keys. */
export function childVariables(others: readonly string[] = []): Record<string, string> {
  const passed = [...PASSED_VARIABLES, ...others].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passed);
}

function collectErrors(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(-KEPT_OUTPUT);
  });
  return () => lastError(text.trim());
}

/** The error in the last line if that is a JSON log entry; otherwise all of the output. */
function lastError(output: string): string {
  const last = parseJson(output.slice(output.lastIndexOf("\n") + 1))?.value;
  const error = isJsonObject(last) ? last["error"] : undefined;
  return typeof error === "string" ? error : output;
}

function untilReady(
  child: ChildProcess,
  { name, startLimitMs = START_LIMIT_MS }: ChildOptions,
  output: () => string,
): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      stopTimer();
      child.kill("SIGKILL");
      const reported = output();
      reject(
        new AppError("local-service", `${name} did not start: ${reported === "" ? why : reported}`),
      );
    };
    const stopTimer = systemClock.after(startLimitMs, () =>
      fail(`no answer within ${startLimitMs / 1000} s`),
    );
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => fail(`it ended with code ${code}`));
    let line = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      line += piece;
      const end = line.indexOf("\n");
      if (end < 0) return;
      const ready = readySchema.safeParse(parseJson(line.slice(0, end))?.value);
      if (!ready.success) return fail("its first line is not as expected");
      stopTimer();
      if (!ready.data.ready) {
        const { code, message, configPath } = ready.data.error;
        return reject(new AppError(code, message, { configPath }));
      }
      child.removeAllListeners("close");
      child.stdout?.removeAllListeners("data");
      resolve(ready.data);
    });
  });
}

async function closeChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}
