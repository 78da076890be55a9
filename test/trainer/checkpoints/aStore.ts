/** A local store with one checkpoint that is a real adapter, and a run folder that names it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { CheckpointStore } from "../../../src/local/engine/service/checkpoints/checkpointStore.ts";
import {
  type CheckpointKey,
  tinkerPath,
} from "../../../src/local/engine/service/checkpoints/tinkerPath.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";
import { aCheckpointEntry, aRunFile } from "../../core/runFolder/builders.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { ADAPTER } from "../../local/engine/service/exportingService.ts";

export const KEY: CheckpointKey = { runId: "s1:train:0", kind: "weights", name: "final_000002" };
export const PATH = tinkerPath(KEY);

export interface AStore {
  readonly folder: string;
  readonly store: CheckpointStore;
}

/** For `TINKER_RL_STORE`, during the calling test. */
export async function aStore(): Promise<AStore> {
  const folder = folderOfThisTest();
  const store = new CheckpointStore({
    root: join(folder, "runs"),
    files: createFileSystem(),
    clock: systemClock,
    log: silentLog,
    pid: 1,
    uuid: () => "0a",
    isProcessAlive: () => false,
  });
  await saveIn(store, KEY);
  return { folder, store };
}

/** Saves the adapter under another address. */
export async function saveIn(store: CheckpointStore, key: CheckpointKey): Promise<void> {
  const lora = { rank: 8, train_attn: true, train_mlp: true, train_unembed: true };
  await store.save(key, {
    bytes: ADAPTER,
    baseModel: "local/tiny-tool",
    lora,
    runMetadata: null,
    userMetadata: null,
    ttlSeconds: null,
    overwrite: false,
  });
}

export function anEntry(changes: Partial<CheckpointEntry> = {}): CheckpointEntry {
  return aCheckpointEntry({
    name: KEY.name,
    kind: "final",
    state_path: PATH,
    metrics: { "rollout/reward/mean": 0.5 },
    created_at: "2026-11-22T09:41:00.000Z",
    ...changes,
  });
}

/** Below `parent`. */
export function aRunFolder(
  parent: string,
  entries: readonly CheckpointEntry[],
  settings: object = {},
): string {
  const folder = join(parent, "demo");
  mkdirSync(folder);
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  writeFileSync(join(folder, "checkpoints.jsonl"), lines);
  const runFile: RunFile = aRunFile({ phase: "done", configPath: join(parent, "demo.yaml") });
  writeFileSync(join(folder, "run.json"), JSON.stringify(runFile));
  writeFileSync(join(folder, "config.yaml"), "model_name: local/tiny-tool\n");
  const resolved = { environments: { "local/calculator": {} }, ...settings };
  writeFileSync(join(folder, "config.resolved.json"), JSON.stringify(resolved));
  return folder;
}
