/** A trainer for tests of sweeps: its runs leave folders like real ones, and end when the test ends them. */

import { hostname } from "node:os";
import type { TrainerApi } from "../../src/cli/arguments/trainerApi.ts";
import type { AppError } from "../../src/core/errors.ts";
import type { Clock, FileSystem } from "../../src/core/ports.ts";
import { resumeRun, startRun } from "../../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../../src/core/runFolder/runLease.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../../src/core/util/jsonl.ts";
import { runName, runParent } from "../../src/node/runPaths.ts";
import { startConfig } from "../../src/node/startConfig.ts";
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
  /** Like a stop with a save. */
  stop(): Promise<void>;
  fail(error: AppError): Promise<void>;
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
    const finish = async (rows: readonly object[]): Promise<void> => {
      const lease = await claimed;
      for (const [step, own] of rows.entries()) {
        const row = { step, ...own, time: { total_s: 1.5 } };
        await lease.files.append(`${lease.folder}/metrics.jsonl`, encodeJsonLine(row));
      }
      await lease.end({ phase: "done" });
      settle.resolve({ outcome: "done", folder: lease.folder });
    };
    const run: FakeSweepRun = {
      request,
      name: null,
      calls,
      done: (rewards) => finish(rewards.map((mean) => ({ rollout: { reward: { mean } } }))),
      fitted: (losses) =>
        finish(
          losses.map((loss, step) => ({ fit: { steps: step + 1, was: losses[0], now: loss } })),
        ),
      stop: async () => {
        const lease = await claimed;
        await lease.end({ phase: "stopped" });
        settle.resolve({ outcome: "stopped", folder: lease.folder });
      },
      fail: async (error) => {
        const { code, message } = error;
        await (await claimed).end({ phase: "failed", ending: { code, message } });
        settle.reject(error);
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
        const lease = await resumeRun(
          { ...ports, isProcessAlive: () => false },
          { ...starter, configPath: loaded.path, folder, step: 0, repeatsEvaluation: false },
        );
        await writeConfigFiles(lease.files, lease.folder, loaded, new Redactor());
        return lease;
      }),
  });
  return { trainer, runs };
}
