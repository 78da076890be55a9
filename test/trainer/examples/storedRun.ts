/** Runs on disk whose rollouts can be demonstrations. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystem } from "../../../src/core/ports.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { aRecord } from "../../core/runFolder/builders.ts";
import { aConfig } from "../../core/training/builders.ts";

export interface StoredOne extends Partial<RolloutRecord> {
  /** Sampled tokens after the prompt token and the turn's first token, which is 100 + the group; null = no token data is stored. */
  readonly ids?: readonly number[] | null;
}

/** Writes a run of these rollouts, each in its own group. Resolves with its folder, and the writer for more. */
export async function writeStoredRun(
  fileSystem: FileSystem,
  run: string,
  rollouts: readonly StoredOne[],
  settings: object = { model_name: aConfig().model_name, chat_format: "auto" },
) {
  await mkdir(runPaths(run).rolloutFolder, { recursive: true });
  await writeFile(join(run, "config.resolved.json"), JSON.stringify(settings));
  const files = fileSystem.within(run);
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder: run });
  for (const [at, { ids = [], ...changes }] of rollouts.entries()) {
    const record = aRecord({ group: at, index: at, ...changes });
    const { group, rollout } = record;
    await store.addRollout(record);
    if (ids === null) continue;
    const all = [1, 100 + group, ...ids];
    const sampled = all.map((_, at) => (at === 0 ? 0 : 1));
    await store.addTokens(0, [
      {
        group,
        rollout,
        stream: 0,
        ids: all,
        turns: sampled.map((isSampled) => isSampled - 1),
        mask: sampled,
        samplerLogprobs: sampled.map((isSampled) => -isSampled),
        trainerLogprobs: sampled.map((isSampled) => (isSampled === 1 ? -1.5 : Number.NaN)),
        advantages: sampled.map((isSampled) => 2 * isSampled),
      },
    ]);
  }
  return { run, store };
}
