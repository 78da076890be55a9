/** Starts one of the program's own servers as a child that ends with its parent. */

import { type ChildProcess, spawn } from "node:child_process";
import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { systemClock } from "../../node/clock.ts";

export interface ChildServer {
  /** Socket path, or `http://127.0.0.1:PORT`. */
  readonly address: string;
  /** SHA-256 of the file of each dataset that it serves, by environment. */
  readonly datasets: Readonly<Record<string, string>>;
  /** Aborted with AppError `local-service` once the process has ended without having been asked to. */
  readonly failed: AbortSignal;
  /** Ends the process and waits for it. */
  close(): Promise<void>;
}

export interface ChildOptions {
  /** What it is called in messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Handed over by its standard input, with the argument `--keyed`: others can read variables and arguments. */
  readonly key?: string;
  /** The first line of its standard input instead of a key; `args` say what it is. */
  readonly input?: string | undefined;
  /** For a server that reads much before it listens; absent = a minute. */
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
/** Characters of a server's output that an error quotes: the last ones, because they say why the server ended. */
const SHOWN_OUTPUT = 600;
/** A child gets what Node and the file system need, and none of the user's keys. */
const PASSED_VARIABLES = [
  ...["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LOCALAPPDATA"],
  // A desktop editor's program behaves as Node only with it.
  "ELECTRON_RUN_AS_NODE",
];

/**
 * Resolves once the server listens. @throws AppError `local-service` with the end of its output when it does not start,
 * `dataset-invalid` as the server reports it
 */
export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const { key, input = key } = options;
  const args = [...options.args, ...(key === undefined ? [] : ["--keyed"])];
  // Without streams, and with no event but an error, where no more files can be opened.
  const child: ChildProcess = spawn(process.execPath, [options.program, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: childVariables(),
    // A signal to the whole group, or to the console on Windows, is for the parent, which needs its children to save; they end
    // with their input.
    detached: true,
  });
  // When the child has ended at once, the error quotes its output; the broken pipe itself says nothing.
  child.stdin?.on("error", () => undefined);
  if (input !== undefined) child.stdin?.write(`${input}\n`);
  const output = collectErrors(child);
  const { address, datasets } = await untilReady(child, options, output);
  // The output is read for as long as the child lives; otherwise the child would block on a full pipe.
  child.stdout?.resume();
  const failing = new AbortController();
  let isClosing = false;
  // At the event `exit` the last output may not have been read yet.
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

/** The message of {@link ChildServer.failed} without the next step, for a caller that takes that step by itself. */
export function withoutResume({ message }: AppError): string {
  return message.replace(NEXT_STEP, "").trimEnd();
}

/** Those of this process that a child gets, with others that are named: none of the user's keys. */
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
  return () => lastWords(text.trim());
}

/** The error of a last line that is one of a log in JSON; else all of the output. */
function lastWords(output: string): string {
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
