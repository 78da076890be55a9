/** Runs the real trainer on the embedded engine and environments, in its own temporary folder. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileSystem } from "../../src/core/ports.ts";
import type { StoredResult } from "../../src/core/runFolder/evaluationLog.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { RunControl } from "../../src/core/training/run/control.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { loadConfig } from "../../src/trainer/config/configFiles.ts";
import type { RunPlan, TrainerOptions } from "../../src/trainer/plan/runPlan.ts";
import type { RunEnd } from "../../src/trainer/plan/types.ts";
import { executeRun } from "../../src/trainer/run/run.ts";
import { CleanupStack } from "../../src/trainer/services/cleanupStack.ts";
import { debugLog } from "../../src/trainer/services/debugLog.ts";
import { planNewRun } from "../../src/trainer/trainer.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const folders: string[] = [];

/** A folder with a configuration; checkpoints go there too. */
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
  /** Wraps the engine's client. */
  readonly wrapClient?: (client: TrainingClient) => TrainingClient;
}

/** Trains to the end and returns what it reported. */
export async function trainLocally({
  config,
  wrapClient = (client) => client,
}: LocalRunOptions): Promise<readonly ProgressEvent[]> {
  const events: ProgressEvent[] = [];
  await execute(await runFolderWith(config), {
    watch: (event) => void events.push(event),
    change: (plan) => ({
      ...plan,
      createModel: async (...args) => {
        const model = await plan.createModel(...args);
        return { ...model, client: wrapClient(model.client) };
      },
    }),
  });
  return events;
}

export interface ExecuteOptions extends Partial<TrainerOptions> {
  readonly owner?: "terminal" | "editor";
  readonly fileSystem?: FileSystem;
  readonly change?: (plan: RunPlan) => RunPlan;
}

/** Trains in this process as the program does, with parts replaced by the test. */
export async function execute(
  project: string,
  { owner = "terminal", fileSystem, change = (plan) => plan, ...options }: ExecuteOptions = {},
): Promise<RunEnd> {
  const cleanup = new CleanupStack();
  const own = createFileSystem();
  const files = fileSystem ?? own;
  try {
    const loaded = await loadConfig(files, join(project, "config.yaml"));
    const parts = {
      programs: { folder: PROGRAM_FOLDER },
      control: new RunControl(),
      log: debugLog,
      redactor: new Redactor(),
      watch: () => undefined,
    };
    const plan = change(planNewRun(files, { owner }, loaded));
    return await executeRun({ ...parts, ...options, cleanup }, plan);
  } finally {
    await cleanup.closeAll();
    await own.close();
  }
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
