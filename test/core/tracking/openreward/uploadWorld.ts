/** A run folder and a fake of OpenReward's platform, for a sequence of attempts at the run. */

import { expect } from "vitest";
import { evalPath, runPaths } from "../../../../src/core/runFolder/files/layout.ts";
import type { RolloutRecord } from "../../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { supersedeFrom } from "../../../../src/core/runFolder/supersede.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { describeRollout } from "../../../../src/core/tracking/openreward/describeRollout.ts";
import type { UploadSources } from "../../../../src/core/tracking/openreward/uploadBacklog.ts";
import { UploadBackoff } from "../../../../src/core/tracking/openreward/uploadBackoff.ts";
import { UploadClient } from "../../../../src/core/tracking/openreward/uploadClient.ts";
import { deliverRollout } from "../../../../src/core/tracking/openreward/uploadDelivery.ts";
import {
  type UploadProblem,
  UploadSpool,
} from "../../../../src/core/tracking/openreward/uploadSpool.ts";
import { encodeJsonLine } from "../../../../src/core/util/jsonl.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";
import { uploadSettings } from "../../openreward/uploadBuilders.ts";
import { UploadService } from "../../openreward/uploadService.ts";
import { aRecord, aStoredResult } from "../../runFolder/builders.ts";
import { createMemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";

export const FOLDER = "run";
const GROUPS = 3;
const SIZE = 4;
/** Number of rollouts in a step, or in an evaluation at one temperature. */
export const ALL = GROUPS * SIZE;

const PLACES = Array.from({ length: ALL }, (_, at) => {
  return { group: Math.floor(at / SIZE), rollout: at % SIZE };
});

/** An evaluation as the trainer reports it; its results list its parts. */
export interface PlayedEvaluation {
  readonly step: number;
  readonly purpose: "periodic" | "end" | "asked";
  readonly model?: { readonly name: string; readonly path: string | null };
  readonly temperatures: readonly number[];
}

export class UploadWorld {
  readonly service = new UploadService();
  readonly clock = new FakeClock();
  readonly disk = createMemoryFileSystem();
  readonly troubles: UploadProblem[] = [];

  /** Plays and scores a step; `changes` makes it differ from other attempts. */
  async play(step: number, changes: Partial<RolloutRecord> = {}): Promise<void> {
    const options = { fileSystem: this.disk, redactor: new Redactor(), folder: FOLDER };
    const store = createRolloutStore(options);
    for (const { group, rollout } of PLACES) {
      const record = aRecord({ step, group, rollout, index: group, environment: "Owner/Game" });
      await store.addRollout({ ...record, ...changes });
    }
    const scores = PLACES.map((place) => ({
      ...place,
      advantage: 1,
      trainingUse: "trained" as const,
    }));
    await store.addScores(step, scores);
  }

  /** Stores the rollouts of an evaluation; group numbers start again for each temperature. */
  async playEvaluation(
    { step, purpose, model, temperatures }: PlayedEvaluation,
    changes: Partial<RolloutRecord> = {},
  ): Promise<void> {
    await this.disk.makeDirectory(runPaths(FOLDER).evalFolder);
    const extra = { purpose, ...(model !== undefined && { model: model.name }) };
    for (const temperature of temperatures) {
      for (const { group, rollout } of PLACES) {
        const place = { step, group, rollout, index: group, split: "test" };
        const record = { ...aRecord({ ...place, environment: "Owner/Game" }), ...changes };
        const line = encodeJsonLine({ ...record, ...extra, temperature, tokenData: [] });
        await this.disk.append(evalPath(FOLDER, step), line);
      }
    }
  }

  /** Writes the line of a finished evaluation, and returns what the trainer reports. */
  async endEvaluation({ step, purpose, model, temperatures }: PlayedEvaluation) {
    const counts = { environment: "Owner/Game", tasks: GROUPS, rollouts: ALL };
    const results = temperatures.map((temperature) => aStoredResult({ ...counts, temperature }));
    const ended = { step, purpose, ...(model !== undefined && { model }), results };
    const line = encodeJsonLine({ ...ended, timeMs: 1 });
    await this.disk.append(runPaths(FOLDER).evaluations, line);
    return ended;
  }

  attempt(
    attempt: number,
    firstStep: number,
    sources: UploadSources = { training: true, evaluations: true },
  ): UploadSpool {
    const { service, clock, disk } = this;
    const random = { uuid: () => "", uniform: () => 1 };
    const ignore = (): void => undefined;
    const backoff = new UploadBackoff({
      clock,
      random,
      onOutage: ignore,
      onDenied: ignore,
      onRecovered: ignore,
    });
    const client = new UploadClient({
      http: service.http,
      clock,
      apiUrl: "https://api.test",
      apiKey: "k",
      userAgent: "t",
    });
    const settings = uploadSettings();
    return new UploadSpool({
      fileSystem: disk,
      clock,
      folder: FOLDER,
      attempt,
      firstStep,
      sources,
      describe: (record, use, suffix) => describeRollout(record, use, settings, suffix),
      deliver: (rollout, options) => deliverRollout({ client, backoff }, rollout, options),
      onOutage: (trouble) => this.troubles.push(trouble),
    });
  }

  drain(spool: UploadSpool, limitMs = 1e9): Promise<number> {
    const options = { limitMs, shouldGiveUp: () => false, onProgress: () => undefined };
    return this.clock.run(spool.drain(options));
  }

  /** Supersedes the steps that a resume repeats. */
  supersede(attempt: number, step: number): Promise<void> {
    return supersedeFrom(this.disk, { folder: FOLDER, attempt, step });
  }

  expectOnce(rollouts: number): void {
    const taken = [...this.service.rollouts.values()];
    expect(taken).toHaveLength(rollouts);
    for (const { starts, messages, updates } of taken) {
      expect([starts.length, messages.length, updates.length]).toEqual([1, 4, 1]);
    }
    expect(new Set(this.service.names).size).toBe(rollouts);
  }
}
