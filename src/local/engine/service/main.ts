/**
 * The engine process: `node engine.js --socket PATH | --port N --store DIR [--workers N] [--keyed] [--model NAME --tokenizer DIR]`.
 * It prints one line `{"ready":true,"address":…}` and lives as long as its parent holds its standard input open. With `--keyed` the
 * first line of that is the key that every request must show. With `--model` it serves random weights under that name.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { AppError, errorMessage } from "../../../core/errors.ts";
import { systemClock } from "../../../node/clock.ts";
import { createFileSystem } from "../../../node/fileSystem.ts";
import { firstLine } from "../../../node/firstLine.ts";
import { systemRandom } from "../../../node/random.ts";
import { type ListenTarget, listen } from "../../http/listen.ts";
import { stderrLog } from "../../http/stderrLog.ts";
import { createEngine } from "../embeddedEngine.ts";
import type { Engine } from "../engine.ts";
import { createRandomEngine, type RandomModel } from "../random/randomEngine.ts";
import { createTinkerService } from "./service.ts";

/** Time for requests in progress once the parent no longer exists. */
const ORPHAN_MS = 5_000;

interface EngineArguments {
  readonly target: ListenTarget;
  readonly storeFolder: string;
  readonly workers: number | null;
  readonly isKeyed: boolean;
  /** Null = the bundled model. */
  readonly random: RandomModel | null;
}

function readArguments(args: readonly string[]): EngineArguments {
  const { socket, port, store, workers, keyed = false, ...model } = readOptions(args);
  if (store === undefined) throw usage("--store DIR is missing");
  return {
    target: readTarget(socket, port),
    storeFolder: store,
    workers: workers === undefined ? null : wholeNumber("--workers", workers, 1),
    isKeyed: keyed,
    random: readRandomModel(model),
  };
}

function readRandomModel({
  model: name,
  tokenizer: tokenizerFolder,
}: {
  readonly model?: string;
  readonly tokenizer?: string;
}): RandomModel | null {
  if (name === undefined && tokenizerFolder === undefined) return null;
  if (name !== undefined && tokenizerFolder !== undefined) return { name, tokenizerFolder };
  throw usage("--model NAME and --tokenizer DIR need each other");
}

function readOptions(args: readonly string[]) {
  const options = {
    socket: { type: "string" },
    port: { type: "string" },
    store: { type: "string" },
    workers: { type: "string" },
    keyed: { type: "boolean" },
    model: { type: "string" },
    tokenizer: { type: "string" },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw usage(errorMessage(error));
  }
}

function readTarget(socket: string | undefined, port: string | undefined): ListenTarget {
  if (socket !== undefined && port === undefined) return { kind: "socket", path: socket };
  if (port !== undefined && socket === undefined) {
    return { kind: "port", port: wholeNumber("--port", port, 0) };
  }
  throw usage("exactly one of --socket PATH and --port N is needed");
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value >= least && value <= 65_535) return value;
  throw usage(`${name} is ${text}, not a whole number from ${least} to 65535`);
}

function usage(problem: string): AppError {
  return new AppError(
    "bad-arguments",
    `The engine cannot start: ${problem}. Usage: engine.js --socket PATH | --port N --store DIR [--workers N] [--keyed] [--model NAME --tokenizer DIR]`,
  );
}

/** Builds everything and listens. Resolves with what ends it in order. */
async function start({
  target,
  storeFolder,
  workers,
  isKeyed,
  random,
}: EngineArguments): Promise<() => Promise<void>> {
  const keying = isKeyed ? firstLine(process.stdin) : null;
  const engine = await createModelEngine(random, workers);
  const service = await createTinkerService({
    engine,
    storeFolder,
    key: await keying,
    clock: systemClock,
    random: systemRandom,
    files: createFileSystem(),
    log: stderrLog,
  });
  const address = await listen(service.server, target);
  process.stdout.write(`${JSON.stringify({ ready: true, address })}\n`);
  return async () => {
    await service.close();
    await engine.close();
  };
}

function createModelEngine(random: RandomModel | null, workers: number | null): Promise<Engine> {
  const folder = import.meta.dirname;
  const program = {
    wasmPath: join(folder, "kernels.wasm"),
    workerPath: join(folder, "engineWorker.js"),
    workers: workers ?? undefined,
  };
  if (random !== null) return createRandomEngine(random, program);
  return createEngine({ modelFolder: join(folder, "model"), ...program });
}

async function run(): Promise<void> {
  // A parent that no longer exists reads no output; that is no reason to crash before the work is closed.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const reported = new Promise<void>((resolve) => process.once("SIGTERM", () => resolve()));
  const orphaned = new Promise<void>((resolve) => {
    process.stdin.once("close", () => resolve()).resume();
  }).then(() => systemClock.sleep(ORPHAN_MS));
  // Ctrl+C reaches the whole terminal group; the parent needs the engine to save its run.
  if (!process.stdin.isTTY) process.on("SIGINT", () => undefined);
  const stopping = Promise.race([reported, orphaned]);
  const starting = start(readArguments(process.argv.slice(2)));
  const close = await Promise.race([starting, stopping]);
  if (typeof close === "function") {
    await stopping;
    await close();
  }
}

try {
  await run();
  process.exit(0);
} catch (error) {
  stderrLog.error("the engine cannot start", { error: errorMessage(error) });
  process.exit(1);
}
