/** Runs the real trainer on the embedded engine and environments, in a temporary folder of its own. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StoredResult } from "../../src/core/runFolder/evaluationLog.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { RunControl } from "../../src/core/training/run/control.ts";
import type { ProgressEvent, Watcher } from "../../src/core/training/run/progress.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { loadConfig } from "../../src/trainer/config/configFiles.ts";
import { executeRun } from "../../src/trainer/run/run.ts";
import { CleanupStack } from "../../src/trainer/services/cleanupStack.ts";
import { debugLog } from "../../src/trainer/services/debugLog.ts";
import { planNewRun } from "../../src/trainer/trainer.ts";

export const PROGRAM_FOLDER = fileURLToPath(new URL("../../dist/trainer", import.meta.url));

const folders: string[] = [];

/** A folder with a configuration; checkpoints go there, too. */
export async function runFolderWith(config: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tinker-rl-test-"));
  folders.push(folder);
  process.env["TINKER_RL_STORE"] = join(folder, "checkpoints");
  await writeFile(join(folder, "config.yaml"), config);
  return folder;
}

/** Removes the folders of all runs so far. */
export async function removeRunFolders(): Promise<void> {
  const removal = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 } as const;
  await Promise.all(folders.splice(0).map((folder) => rm(folder, removal)));
}

export interface LocalRunOptions {
  readonly config: string;
  /** Puts something between the loop and the engine. */
  readonly wrapClient?: (client: TrainingClient) => TrainingClient;
}

/** Trains to the end and returns what it reported. */
export async function trainLocally(options: LocalRunOptions): Promise<readonly ProgressEvent[]> {
  const folder = await runFolderWith(options.config);
  const events: ProgressEvent[] = [];
  const watch: Watcher = (event) => events.push(event);
  const fileSystem = createFileSystem();
  const cleanup = new CleanupStack();
  const loaded = await loadConfig(fileSystem, join(folder, "config.yaml"));
  const plan = planNewRun(fileSystem, { owner: "terminal" }, loaded);
  const wrap = options.wrapClient ?? ((client) => client);
  try {
    await executeRun(
      {
        programs: { folder: PROGRAM_FOLDER },
        control: new RunControl(),
        log: debugLog,
        redactor: new Redactor(),
        cleanup,
        watch,
      },
      {
        ...plan,
        createModel: async (...args) => {
          const model = await plan.createModel(...args);
          return { ...model, client: wrap(model.client) };
        },
      },
    );
  } finally {
    await cleanup.closeAll();
    await fileSystem.close();
  }
  return events;
}

/** The results of the evaluation before or after training. */
export function evaluated(
  events: readonly ProgressEvent[],
  purpose: "start" | "end",
  temperature: number,
): StoredResult {
  for (const event of events) {
    if (event.kind !== "evaluated" || event.purpose !== purpose) continue;
    const result = event.results.find((candidate) => candidate.temperature === temperature);
    if (result !== undefined) return result;
  }
  throw new Error(`no evaluation at the ${purpose} with temperature ${temperature}`);
}

export async function readLines(path: string): Promise<readonly unknown[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
