/** A trainer for tests of sweeps: its runs leave folders like real ones, and end when the test ends them. */

import { hostname } from "node:os";
import type { TrainerApi } from "../../src/cli/arguments/trainerApi.ts";
import type { AppError } from "../../src/core/errors.ts";
import type { Clock, FileSystem } from "../../src/core/ports.ts";
import { resumeRun, startRun } from "../../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../../src/core/runFolder/runLease.ts";
import { completedSteps } from "../../src/core/runs/runList.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../../src/core/util/jsonl.ts";
import { runName, runParent } from "../../src/node/runPaths.ts";
import { startConfig } from "../../src/node/startConfig.ts";
import { afterChange } from "../../src/shared/runFile.ts";
import { loadConfig, loadStart, writeConfigFiles } from "../../src/trainer/config/configFiles.ts";
import type {
  ActiveRun,
  ResumeRequest,
  RunEnd,
  TrainRequest,
} from "../../src/trainer/plan/types.ts";
import { aTrainer } from "./fakeProgram.ts";

/** No process has this id. */
const NOBODY = 2 ** 30;

export interface FakeSweepRun {
  readonly request: TrainRequest | ResumeRequest;
  /** Name of its folder, once it is claimed. */
  name: string | null;
  readonly calls: string[];
  done(rewards: readonly number[]): Promise<void>;
  /** Like a finished supervised run. */
  fitted(losses: readonly number[]): Promise<void>;
  /** Like a stop with a save, `rewards` after its start. */
  stop(rewards?: readonly number[]): Promise<void>;
  fail(error: AppError): Promise<void>;
  /** Like a setting changed while it trains. */
  change(key: string, step: number): Promise<void>;
  /** Like a kill: the folder records no end. */
  vanish(): void;
}

export function createSweepTrainer(ports: {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}): { readonly trainer: TrainerApi; readonly runs: readonly FakeSweepRun[] } {
  const runs: FakeSweepRun[] = [];
  const begin = (
    request: TrainRequest | ResumeRequest,
    claim: () => Promise<RunLease>,
  ): ActiveRun => {
    let settle: { resolve: (end: RunEnd) => void; reject: (error: unknown) => void };
    const ended = new Promise<RunEnd>((resolve, reject) => {
      settle = { resolve, reject };
    });
    const claimed = claim();
    const calls: string[] = [];
    const end = async (phase: "done" | "stopped", rows: readonly object[]): Promise<void> => {
      const lease = await claimed;
      const path = `${lease.folder}/metrics.jsonl`;
      const before = await completedSteps(lease.files, lease.folder);
      for (const [step, own] of rows.entries()) {
        const row = { step: before + step, ...own, time: { total_s: 1.5 } };
        await lease.files.append(path, encodeJsonLine(row));
      }
      await lease.end({ phase });
      settle.resolve({ outcome: phase, folder: lease.folder });
    };
    const rewarded = (rewards: readonly number[]) =>
      rewards.map((mean) => ({ rollout: { reward: { mean } } }));
    const run: FakeSweepRun = {
      request,
      name: null,
      calls,
      done: (rewards) => end("done", rewarded(rewards)),
      fitted: (losses) =>
        end(
          "done",
          losses.map((loss, step) => ({ fit: { steps: step + 1, was: losses[0], now: loss } })),
        ),
      stop: (rewards = []) => end("stopped", rewarded(rewards)),
      fail: async (error) => {
        const { code, message } = error;
        await (await claimed).end({ phase: "failed", ending: { code, message } });
        settle.reject(error);
      },
      change: async (key, step) => {
        const lease = await claimed;
        await lease.update({ sweep: afterChange(lease.file.sweep, { keys: [key], step }) });
      },
      vanish: () => settle.resolve({ outcome: "interrupted", folder: null }),
    };
    claimed.then(
      (lease) => {
        run.name = lease.file.name;
      },
      (error: unknown) => settle.reject(error),
    );
    runs.push(run);
    return {
      ended,
      stopAndSave: () => calls.push("stopAndSave"),
      stopNow: () => calls.push("stopNow"),
    };
  };
  const { fileSystem } = ports;
  const starter = { pid: NOBODY, host: hostname(), owner: "terminal" } as const;
  const trainer = aTrainer({
    startTraining: (request) =>
      begin(request, async () => {
        const loaded = await loadConfig(fileSystem, request.configPath, request.overrides);
        const { config, path } = loaded;
        const lease = await startRun(ports, {
          ...starter,
          configPath: path,
          parent: runParent(config, path),
          runId: "r",
          name: runName(config, path),
          ...(request.sweep !== undefined && { sweep: request.sweep }),
        });
        await writeConfigFiles(lease.files, lease.folder, loaded, new Redactor());
        return lease;
      }),
    resumeTraining: (request) =>
      begin(request, async () => {
        const { folder, overrides = [] } = request;
        const loaded = loadStart(await startConfig(fileSystem, { resume: folder, overrides }));
        const step = await completedSteps(fileSystem.within(folder), folder);
        const lease = await resumeRun(
          { ...ports, isProcessAlive: () => false },
          { ...starter, configPath: loaded.path, folder, step, repeatsEvaluation: false },
        );
        await writeConfigFiles(lease.files, lease.folder, loaded, new Redactor());
        return lease;
      }),
  });
  return { trainer, runs };
}
