import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Catalogue,
  type CheckpointEntry,
  EMPTY_CATALOGUE,
} from "../../src/core/config/editing/catalogue/catalogue.ts";
import { complete } from "../../src/core/config/editing/completion/complete.ts";
import { diagnose } from "../../src/core/config/editing/diagnostics/diagnose.ts";
import {
  appendCheckpoint,
  type CheckpointEntry as SavedCheckpoint,
} from "../../src/core/runFolder/checkpointLog.ts";
import { RunCheckpoints } from "../../src/host/catalogue/runCheckpoints.ts";
import type { StoredCheckpoint } from "../../src/host/catalogue/storedLists.ts";
import type { RunEntry } from "../../src/host/runs/runStore.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { textWith } from "../core/config/configText.ts";
import { aCheckpoint, listing } from "../core/config/editing/aCatalogue.ts";

const fileSystem = createFileSystem();
const folder = join(mkdtempSync(join(tmpdir(), "run-")), "demo");
mkdirSync(folder);
afterEach(async () => {
  await fileSystem.close();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

function save(name: string, kind: SavedCheckpoint["kind"], step: number): SavedCheckpoint {
  return {
    name,
    kind,
    step,
    epoch: 0,
    position: step,
    renderer: "r",
    sampler_path: null,
    state_path: `tinker://s:train:0/weights/${name}`,
    expires_at: null,
    metrics: {},
    created_at: "2026-11-01T10:00:00.000Z",
  };
}

it("of the saves of a run, those that a newer one replaced or that were deleted are known as gone", async () => {
  writeFileSync(join(folder, "config.resolved.json"), '{"model_name":"local/tiny-tool"}');
  const deleted = save("checkpoint_000020", "periodic", 20);
  for (const entry of [
    save("rolling_000005", "rolling", 5),
    save("checkpoint_000010", "periodic", 10),
    deleted,
    { ...deleted, expires_at: "2026-11-02T10:00:00.000Z" },
    save("final_000030", "final", 30),
  ]) {
    await appendCheckpoint(fileSystem.within(folder), folder, entry);
  }
  let found: readonly StoredCheckpoint[] = [];
  const reader = new RunCheckpoints({
    store: {
      runs: [{ folder, name: "demo" } as RunEntry], // what is read of one
      onDidChange: () => ({ dispose: () => undefined }),
    },
    fileSystem,
    onFound: (saved) => {
      found = saved;
    },
    onError: (error) => {
      throw error;
    },
  });
  await reader.read();
  reader.dispose();
  expect(found.map(({ path, kind, isGone }) => [path.split("/").at(-1), kind, isGone])).toEqual([
    ["rolling_000005", "rolling", true],
    ["checkpoint_000010", "periodic", false],
    ["checkpoint_000020", "periodic", true],
    ["final_000030", "final", false],
  ]);
});

const GONE = "tinker://s:train:0/weights/rolling_000045";

function catalogueOf(...items: readonly CheckpointEntry[]): Catalogue {
  return {
    ...EMPTY_CATALOGUE,
    hosted: { environments: null, models: null, checkpoints: listing(items) },
  };
}

describe("completion of init_from", () => {
  it("offers what exists, the newest first and the best next, each under a label of its own", () => {
    const catalogue = catalogueOf(
      aCheckpoint("tinker://s:train:0/weights/checkpoint_000010", {
        step: 9,
        ageMs: 3000,
        reward: 0.2,
        kind: "periodic",
      }),
      aCheckpoint("tinker://s:train:0/weights/checkpoint_000020", {
        step: 19,
        ageMs: 2000,
        reward: 0.9,
        kind: "periodic",
      }),
      aCheckpoint(GONE, { kind: "rolling", ageMs: 500, isGone: true }),
      aCheckpoint("tinker://s:train:0/weights/old", { ageMs: 100, expiresInMs: -1 }),
      aCheckpoint("tinker://s:train:0/weights/final_000030", {
        step: 29,
        ageMs: 1000,
        reward: 0.6,
        kind: "final",
        expiresInMs: 7_200_000,
      }),
      aCheckpoint("tinker://t:train:0/weights/final_000030", {
        step: 29,
        ageMs: 4000,
        reward: 0.1,
        kind: "final",
      }),
    );
    const text = textWith("init_from: ");
    const offered = complete(text, text.length, { path: "run.yaml", catalogue })
      .filter(({ kind }) => kind === "checkpoint")
      .toSorted((a, b) => (a.sort < b.sort ? -1 : 1));
    expect(offered.map(({ label }) => label)).toEqual([
      "first · step 30 · s:train:0/weights/final_000030",
      "first · step 20",
      "first · step 10",
      "first · step 30 · t:train:0/weights/final_000030",
    ]);
    expect(offered[0]?.detail).toBe("final · reward 0.60 · Qwen/Qwen3-8B · expires in 2 h 00 min");
  });
});

it("a configuration that names a checkpoint which is gone is marked, with one that exists as a fix", () => {
  const catalogue = catalogueOf(
    aCheckpoint(GONE, { kind: "rolling", isGone: true }),
    aCheckpoint("tinker://s:train:0/weights/final_000050", { kind: "final" }),
  );
  const marks = diagnose(textWith(`init_from: ${GONE}`), { path: "run.yaml", catalogue });
  const mark = marks.find(({ code }) => code === "TRL303");
  expect(mark).toMatchObject({
    severity: "error",
    message:
      "This checkpoint no longer exists: it expired, was deleted, or a newer one replaced it. Choose another one.",
    remedies: [{ kind: "set", value: "tinker://s:train:0/weights/final_000050" }],
  });
});
