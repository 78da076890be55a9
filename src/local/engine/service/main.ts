/**
 * The engine process: `node engine.js --socket PATH | --port N --store DIR [--workers N] [--keyed] [--model NAME --tokenizer DIR]`.
 * Prints one line `{"ready":true,"address":…}` and runs until its parent closes its standard input. With `--keyed`, the first line of
 * standard input is the key that every request must carry. With `--model`, it serves random weights under that name.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { AppError, errorMessage } from "../../../core/errors.ts";
import { systemClock } from "../../../node/clock.ts";
import { createFileSystem } from "../../../node/fileSystem.ts";
import { firstLine } from "../../../node/firstLine.ts";
import { systemRandom } from "../../../node/random.ts";
import { type ListenTarget, listen } from "../../http/listen.ts";
import {
  ADDRESS_OPTIONS,
  followParent,
  readTarget,
  removeSocketFolder,
  reportReady,
} from "../../http/servingProcess.ts";
import { stderrLog } from "../../http/stderrLog.ts";
import { createEngine } from "../embeddedEngine.ts";
import type { Engine } from "../engine.ts";
import { createRandomEngine, type RandomModel } from "../random/randomEngine.ts";
import { createTinkerService } from "./service.ts";

/** Time for requests in progress after the parent has died. */
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
  const options = readOptions(args);
  const { store, workers, keyed = false } = options;
  const target = readTarget(options);
  if (target === null)
    throw usage("exactly one of --socket PATH and --port N (0 to 65535) is needed");
  if (store === undefined) throw usage("--store DIR is missing");
  if (workers !== undefined && !/^[1-9]\d{0,3}$/.test(workers)) {
    throw usage(`--workers is ${workers}, not a whole number from 1 to 9999`);
  }
  return {
    target,
    storeFolder: store,
    workers: workers === undefined ? null : Number(workers),
    isKeyed: keyed,
    random: readRandomModel(options),
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
    ...ADDRESS_OPTIONS,
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

function usage(problem: string): AppError {
  return new AppError(
    "bad-arguments",
    `The engine cannot start: ${problem}. Usage: engine.js --socket PATH | --port N --store DIR [--workers N] [--keyed] [--model NAME --tokenizer DIR]`,
  );
}

/** Builds everything and listens. Resolves with a function for an orderly shutdown. */
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
  reportReady({ ready: true, address });
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
  const { asked, gone } = followParent();
  const stopping = Promise.race([asked, gone.then(() => systemClock.sleep(ORPHAN_MS))]);
  const args = readArguments(process.argv.slice(2));
  const starting = start(args);
  const close = await Promise.race([starting, stopping]);
  if (typeof close === "function") {
    await stopping;
    await close();
  }
  await removeSocketFolder(args.target);
}

try {
  await run();
  process.exit(0);
} catch (error) {
  stderrLog.error("the engine cannot start", { error: errorMessage(error) });
  process.exit(1);
}
