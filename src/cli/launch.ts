/** Runs a trainer for the editor that started it: keys arrive over standard input, and `launch.json` reports the launch's state. */

import { join } from "node:path";
import type { Readable } from "node:stream";
import { AppError } from "../core/errors.ts";
import type { FileSystem, FolderFiles, Log } from "../core/ports.ts";
import { parseJson } from "../core/util/jsonl.ts";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { LaunchFile, LaunchRequest } from "../shared/control.ts";
import { launchError } from "../trainer/control/launchError.ts";
import type { EditorLaunch, LaunchPlace, RunEnd } from "../trainer/plan/types.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { exitCodeOf, exitCodeOfRun } from "./terminal/exitCode.ts";

const MAX_REQUEST_CHARACTERS = 1024 * 1024;

/**
 * Runs `train` with the request from the editor that created `folder`, and records the outcome in its `launch.json`. Resolves with the exit
 * code.
 * @throws AppError from `train`
 */
export async function runForEditor(
  options: ProgramOptions,
  folder: string,
  train: (launch: EditorLaunch) => Promise<RunEnd>,
): Promise<number> {
  const record = new LaunchRecord(options.fileSystem, folder, options.log);
  try {
    const launchRequest = await readRequest(options.input);
    const launch = { launchRequest, onPlace: (place: LaunchPlace) => record.note(place) };
    const exitCode = exitCodeOfRun(await train(launch));
    record.note({ control: null, exitCode });
    return exitCode;
  } catch (error) {
    record.note({ control: null, exitCode: exitCodeOf(error), error: launchError(error) });
    throw error;
  } finally {
    await record.written();
  }
}

/** Reads the first line of `input` and closes it. @throws AppError `bad-arguments` if the line is not a request */
async function readRequest(input: Readable): Promise<LaunchRequest> {
  let text = "";
  for await (const piece of input.setEncoding("utf8")) {
    text += piece;
    if (text.includes("\n") || text.length > MAX_REQUEST_CHARACTERS) break;
  }
  input.destroy();
  const [line = ""] = text.split("\n", 1);
  const request = launchRequestSchema.safeParse(parseJson(line)?.value);
  if (request.success) return request.data;
  throw new AppError(
    "bad-arguments",
    "--launch is for editors: it reads its instructions from standard input.",
  );
}

/** Keeps `launch.json` up to date; each write replaces the whole file. */
class LaunchRecord {
  readonly #path: string;
  readonly #files: FolderFiles;
  readonly #log: Log;
  #file: LaunchFile = {
    schemaVersion: 1,
    pid: process.pid,
    control: null,
    folder: null,
    exitCode: null,
    error: null,
  };
  #writing: Promise<void> = Promise.resolve();

  constructor(fileSystem: FileSystem, folder: string, log: Log) {
    this.#files = fileSystem.within(folder);
    this.#path = join(folder, "launch.json");
    this.#log = log;
  }

  /** Records a change immediately. A failed write is only logged, because it must not end the run. */
  note(change: LaunchPlace & Partial<Pick<LaunchFile, "exitCode" | "error">>): void {
    this.#file = { ...this.#file, ...change };
    const text = `${JSON.stringify(this.#file, null, 2)}\n`;
    this.#writing = this.#writing
      .then(() => this.#files.writeAtomic(this.#path, text))
      .catch((error: unknown) => this.#log.warn("launch.json was not written.", { error }));
  }

  /** Resolves when all changes are on disk. */
  written(): Promise<void> {
    return this.#writing;
  }
}
