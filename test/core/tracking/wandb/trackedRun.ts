/** An in-memory run folder whose attempts are reported to a fake of W&B, with rows, killed trainers, and resumes. */

import { createHash } from "node:crypto";
import type { CheckpointEntry } from "../../../../src/core/runFolder/checkpointLog.ts";
import { createEventLog } from "../../../../src/core/runFolder/events.ts";
import { runPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { appendMetrics } from "../../../../src/core/runFolder/metrics/metrics.ts";
import type {
  MetricsRow,
  MetricsTree,
} from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { createRolloutStore } from "../../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { supersedeFrom } from "../../../../src/core/runFolder/supersede.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { WandbTracker } from "../../../../src/core/tracking/wandb/tracker.ts";
import { startHash } from "../../../../src/node/hash.ts";
import { FakeClock, settle } from "../../../fakes/fakeClock.ts";
import { silentLog } from "../../../fakes/silentLog.ts";
import { aCheckpointEntry, aRecord, aStoredResult } from "../../runFolder/builders.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";
import { FakeWandbServer } from "./fakeWandbServer.ts";

const FOLDER = "/runs/run";
const KEY = "k".repeat(40);

export interface TrackedRunOptions {
  readonly isOffline?: boolean;
  readonly isNameGiven?: boolean;
  readonly project?: string;
  readonly baseUrl?: string;
  readonly redactor?: Redactor;
  readonly knownRunId?: string;
}

export class TrackedRun {
  readonly clock = new FakeClock();
  readonly server = new FakeWandbServer();
  readonly fileSystem: MemoryFileSystem = createMemoryFileSystem();
  readonly warnings: string[] = [];
  readonly recoveries: string[] = [];
  readonly opened: string[] = [];
  /** Rows still waiting at the end, once per report. */
  readonly draining: number[] = [];
  stops = 0;
  #tracker: WandbTracker | null = null;
  #attempt = 0;
  #ids = 0;

  get tracker(): WandbTracker {
    if (this.#tracker === null) throw new Error("No attempt has begun.");
    return this.#tracker;
  }

  static async begun(options: TrackedRunOptions = {}): Promise<TrackedRun> {
    const run = new TrackedRun();
    await run.begin(0, options);
    return run;
  }

  /** Starts an attempt at `step`; later rows are superseded. */
  async begin(step = 0, options: TrackedRunOptions = {}): Promise<void> {
    const { fileSystem, clock, server } = this;
    if (fileSystem.files.size === 0) await this.configure({ save_every: 0 });
    if (this.#attempt > 0)
      await supersedeFrom(fileSystem, { folder: FOLDER, attempt: this.#attempt, step });
    this.#attempt += 1;
    const {
      knownRunId = null,
      isOffline = false,
      isNameGiven = false,
      project = "training",
      baseUrl = "https://wandb.test",
    } = options;
    this.#tracker = await WandbTracker.start({
      fileSystem,
      clock,
      folder: FOLDER,
      log: silentLog,
      firstStep: step,
      totalSteps: null,
      knownRunId,
      producer: "test",
      homeFolder: "/home/ada",
      redactor: options.redactor ?? new Redactor(),
      random: { uniform: () => 0, uuid: () => this.#newId() },
      startHash,
      sha256: (text) => createHash("sha256").update(text).digest("hex"),
      server: isOffline ? null : { http: server, baseUrl, appUrl: null, apiKey: KEY },
      init: {
        project,
        entity: null,
        displayName: "run",
        isNameGiven,
        group: null,
        jobType: "train",
        notes: null,
        tags: ["test"],
        program: "config.yaml",
        platform: "linux-x64",
      },
      report: {
        opened: (place) => this.opened.push(place),
        warning: (message) => this.warnings.push(message),
        recovered: (message) => this.recoveries.push(message),
        draining: (rows) => this.draining.push(rows),
        stopRequested: () => {
          this.stops += 1;
        },
      },
    });
  }

  /** What the page shows as the run's summary. */
  get summary(): unknown {
    const [text = ""] = this.server.run.files.get("wandb-summary.json")?.values() ?? [];
    return JSON.parse(text);
  }

  async configure(config: object): Promise<void> {
    const paths = runPaths(FOLDER);
    await this.fileSystem.writeAtomic(paths.resolvedConfig, JSON.stringify(config));
    await this.fileSystem.writeAtomic(paths.config, "batch_size: 8\n");
  }

  /** The row of a step, as a run writes it. */
  rowOf(
    step: number,
    reward = step / 10,
    more: MetricsTree = {},
    client: MetricsTree = {},
  ): MetricsRow {
    const progress = { attempt: this.#attempt };
    const time = { total_s: this.#attempt + step };
    return { step, rollout: { reward: { mean: reward }, ...more }, progress, time, client };
  }

  async write(
    step: number,
    reward?: number,
    more?: MetricsTree,
    client?: MetricsTree,
  ): Promise<void> {
    await appendMetrics(this.fileSystem, FOLDER, this.rowOf(step, reward, more, client));
    this.tracker.rowWritten(step);
  }

  /** The row of the evaluation after `step` completed steps. */
  async writeEnd(step: number, mean: number): Promise<void> {
    const progress = { attempt: this.#attempt };
    const row = { step, evaluation_only: true, progress, eval: { test: { reward_mean: mean } } };
    await appendMetrics(this.fileSystem, FOLDER, row);
    this.tracker.rowWritten(step);
  }

  /** Writes the line of a save, as a run does. */
  async save(
    name: string,
    step: number,
    kind: CheckpointEntry["kind"] = "periodic",
  ): Promise<void> {
    const entry = aCheckpointEntry({
      name,
      step,
      kind,
      state_path: `tinker://run/weights/${name}`,
      sampler_path: kind === "rolling" ? null : `tinker://run/sampler_weights/${name}`,
      created_at: new Date(0).toISOString(),
    });
    const path = runPaths(FOLDER).checkpoints;
    await this.fileSystem.append(path, `${JSON.stringify(entry)}\n`);
  }

  /** Writes the line of an evaluation, as a run does; later ones are compared with the first. */
  async evaluate(step: number, rewardMean: number): Promise<void> {
    const isFirst = step === 0;
    const estimate = { mean: rewardMean, low: 0, high: 1 };
    const result = aStoredResult({
      tasks: 4,
      rollouts: 4,
      rewardMean,
      successFraction: rewardMean,
      passAtK: [{ k: 1, ...estimate }],
      ...(!isFirst && { difference: { tasks: 4, mean: rewardMean - 0.25, low: 0, high: 1 } }),
    });
    const line = { step, purpose: isFirst ? "start" : "end", timeMs: 0, results: [result] };
    const path = runPaths(FOLDER).evaluations;
    await this.fileSystem.append(path, `${JSON.stringify(line)}\n`);
  }

  /** Writes a rollout of a step, for its table. */
  async addRollout(step: number, startedAtMs?: number): Promise<void> {
    const { fileSystem } = this;
    const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
    await store.addRollout(aRecord({ step, ...(startedAtMs !== undefined && { startedAtMs }) }));
  }

  /** The rows that are not superseded. */
  async metrics(): Promise<readonly { readonly step: number; readonly reward: number }[]> {
    const text = await this.readText("metrics.jsonl");
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return rows.map(({ step, rollout }) => ({ step, reward: rollout.reward.mean }));
  }

  async say(message: string): Promise<void> {
    const { fileSystem, clock } = this;
    const redactor = new Redactor();
    const parts = { fileSystem, clock, redactor, folder: FOLDER, attempt: this.#attempt };
    const event = { step: null, level: "info", kind: "test", message, data: {} } as const;
    await createEventLog(parts).record(event);
  }

  /** Makes every operation in progress fail, as after a kill. */
  async kill(): Promise<void> {
    await this.tracker.close();
    await settle();
  }

  finish(exitCode = 0, signal?: AbortSignal): Promise<void> {
    return this.clock.run(this.tracker.finish(exitCode, signal));
  }

  readText(name: string): Promise<string> {
    return this.fileSystem.readText(`${FOLDER}/${name}`);
  }

  #newId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, "0")}`;
  }
}
