import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
  readCheckpoints,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { newestUnexpired, readResumePoints } from "../../../src/core/runFolder/resumePoints.ts";
import { writeState } from "../../../src/core/runFolder/state.ts";
import type { CheckpointChange } from "../../../src/core/tinker/checkpointChange.ts";
import {
  type CheckpointPlace,
  keepCheckpoint,
  keepLastState,
  removeCheckpoint,
  shareCheckpoint,
} from "../../../src/host/commands/changeCheckpoint.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aRunState } from "../../trainer/runState.ts";
import { resetUser, user } from "../fakeWindow.ts";
import { aRun } from "../runEntries.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

const NOW_MS = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const STATE = "tinker://s:train:0/weights/a";
const SAMPLER = "tinker://s:train:0/sampler_weights/a";
const ENTRY: CheckpointEntry = aCheckpointEntry({
  name: "a",
  step: 10,
  kind: "rolling",
  state_path: STATE,
  sampler_path: SAMPLER,
  expires_at: new Date(NOW_MS + DAY_MS / 24).toISOString(),
});
const RUN: RunEntry = aRun({ isLive: false, phase: "interrupted" });

async function changes(model: string, tinker_base_url: string | null = null) {
  const files = createMemoryFileSystem();
  const resolved = `${RUN.folder}/config.resolved.json`;
  const config = { model_name: model, lora_rank: 8, tinker_base_url };
  await files.writeAtomic(resolved, JSON.stringify(config));
  const { step, state_path, sampler_path, expires_at } = ENTRY;
  const last_checkpoint = { step, state_path: state_path ?? "", sampler_path, expires_at };
  await writeState(files, RUN.folder, aRunState(10, { last_checkpoint }));
  await appendCheckpoint(files, RUN.folder, ENTRY);
  const made: unknown[] = [];
  const options = {
    fileSystem: files,
    now: () => NOW_MS,
    isOwn: async () => true,
    append: (folder: string, entry: CheckpointEntry) => appendCheckpoint(files, folder, entry),
    change: async (
      place: CheckpointPlace,
      what: { readonly paths: readonly string[]; readonly change: CheckpointChange },
    ) => void made.push([place.kind === "Tinker" ? place.baseUrl : place.kind, what]),
  };
  const lines = () => readCheckpoints(files, RUN.folder);
  return { options, made, lines, files };
}

beforeEach(resetUser);

describe("keeping a checkpoint", () => {
  it("changes its expiry at the service, and shows it in the run", async () => {
    user.picks = [["7 Days"]];
    const { options, made, lines } = await changes("Qwen/Qwen3-8B");
    expect(await keepCheckpoint(RUN, ENTRY, options)).toBe(true);
    const change = { action: "set-ttl", ttlSeconds: 604_800 };
    expect(made).toEqual([[null, { paths: [STATE, SAMPLER], change }]]);
    const expires_at = new Date(NOW_MS + 7 * DAY_MS).toISOString();
    expect(await lines()).toEqual([{ ...ENTRY, expires_at }]);
  });

  it("uses the service that trained the run", async () => {
    user.picks = [["1 Day"]];
    const { options, made } = await changes("Qwen/Qwen3-8B", "https://own.example");
    await keepCheckpoint(RUN, ENTRY, options);
    const change = { action: "set-ttl", ttlSeconds: 86_400 };
    expect(made).toEqual([["https://own.example", { paths: [STATE, SAMPLER], change }]]);
  });

  it("changes nothing if the user picks nothing", async () => {
    const { options, made, lines } = await changes("Qwen/Qwen3-8B");
    expect(await keepCheckpoint(RUN, ENTRY, options)).toBe(false);
    expect(made).toEqual([]);
    expect(await lines()).toHaveLength(1);
  });

  it("shows no new expiry if the service refuses it", async () => {
    user.picks = [["Until It Is Deleted"]];
    const { options, lines } = await changes("Qwen/Qwen3-8B");
    const change = () => Promise.reject(new Error("refused"));
    await expect(keepCheckpoint(RUN, ENTRY, { ...options, change })).rejects.toThrow("refused");
    expect(await lines()).toHaveLength(1);
  });

  it("is refused for one that a run in progress is about to replace", async () => {
    user.picks = [["1 Day"]];
    const { options, made } = await changes("Qwen/Qwen3-8B");
    await expect(keepCheckpoint({ ...RUN, isLive: true }, ENTRY, options)).rejects.toThrow(
      "its next save replaces this one",
    );
    expect(made).toEqual([]);
  });
});

describe("keeping the last state of a run", () => {
  it("makes one request, after which the run can be resumed from it at any time", async () => {
    const { options, made, files } = await changes("local/tiny-tool");
    await keepLastState(RUN, options);
    const change = { action: "set-ttl", ttlSeconds: null };
    expect(made).toEqual([["this computer", { paths: [STATE, SAMPLER], change }]]);
    const points = await readResumePoints(files, RUN.folder, NOW_MS);
    expect(newestUnexpired(points, NOW_MS + 365 * DAY_MS)).toMatchObject({
      statePath: STATE,
      expiresAtMs: null,
    });
  });

  it("asks before it changes a hosted state, and shows its addresses", async () => {
    const { options, made } = await changes("Qwen/Qwen3-8B");
    expect(await keepLastState(RUN, options)).toBe(false);
    expect(made).toEqual([]);
    expect(user.details.at(-1)).toBe(`${STATE}\n${SAMPLER}`);
    user.presses = ["Keep"];
    expect(await keepLastState(RUN, options)).toBe(true);
    expect(made).toHaveLength(1);
  });

  it("reports when no state is left", async () => {
    const { options, made } = await changes("local/tiny-tool");
    const later = { ...options, now: () => NOW_MS + DAY_MS };
    await expect(keepLastState(RUN, later)).rejects.toThrow("has no state to keep");
    expect(made).toEqual([]);
  });
});

describe("publishing a checkpoint", () => {
  it("asks for confirmation with the addresses, as does unpublishing it", async () => {
    const { options, made } = await changes("Qwen/Qwen3-8B", "https://own.example");
    expect(await shareCheckpoint(RUN, ENTRY, "publish", options)).toBe(false);
    expect(made).toEqual([]);
    user.presses = ["Publish"];
    expect(await shareCheckpoint(RUN, ENTRY, "publish", options)).toBe(true);
    expect(await shareCheckpoint(RUN, ENTRY, "unpublish", options)).toBe(false);
    user.presses = ["Unpublish"];
    expect(await shareCheckpoint(RUN, ENTRY, "unpublish", options)).toBe(true);
    const paths = [STATE, SAMPLER];
    expect(made).toEqual([
      ["https://own.example", { paths, change: { action: "publish" } }],
      ["https://own.example", { paths, change: { action: "unpublish" } }],
    ]);
    expect(user.details).toHaveLength(4);
    for (const detail of user.details) {
      expect(detail).toContain(`${STATE}\n${SAMPLER}\nat https://own.example`);
    }
  });

  it("is refused for local checkpoints, which no one else can access", async () => {
    const { options, made } = await changes("local/tiny-tool");
    await expect(shareCheckpoint(RUN, ENTRY, "publish", options)).rejects.toThrow(
      "Only those at Tinker can be published",
    );
    expect(made).toEqual([]);
  });
});

describe("deleting a checkpoint", () => {
  beforeEach(() => {
    user.presses = ["Delete Checkpoint"];
  });

  it("deletes both of its local folders, and records the deletion in the run", async () => {
    const { options, made, lines } = await changes("local/tiny-tool");
    expect(await removeCheckpoint(RUN, ENTRY, options)).toBe(true);
    const removal = { paths: [STATE, SAMPLER], change: { action: "delete" } };
    expect(made).toEqual([["this computer", removal]]);
    const expires_at = new Date(NOW_MS).toISOString();
    expect(await lines()).toEqual([{ ...ENTRY, expires_at }]);
    expect(user.details).toEqual([
      `It was saved after step 10 and is deleted from this computer.\n${STATE}\n${SAMPLER}\nA resume begins with this checkpoint. Without it, the run cannot be resumed.\nThis cannot be undone.`,
    ]);
  });

  it("shows the step that a resume would start from instead", async () => {
    const { options, files } = await changes("local/tiny-tool");
    const before = { ...ENTRY, name: "b", step: 5, state_path: `${STATE}b`, state: aRunState(5) };
    await appendCheckpoint(files, RUN.folder, before);
    await removeCheckpoint(RUN, ENTRY, options);
    expect(user.details.at(-1)).toContain(
      "A resume begins with this checkpoint. Without it, a resume begins after step 5.",
    );
  });

  it("warns if only the run folder claims that the run saved it", async () => {
    const { options } = await changes("local/tiny-tool");
    await removeCheckpoint(RUN, ENTRY, { ...options, isOwn: async () => false });
    expect(user.details.at(-1)).toContain(
      `${SAMPLER}\nOnly the run folder says that demo saved this; your trainers on this computer did not save it. It may belong to another run.\n`,
    );
  });

  it("sends a request to the service for hosted models", async () => {
    const { options, made } = await changes("Qwen/Qwen3-8B");
    expect(await removeCheckpoint(RUN, ENTRY, options)).toBe(true);
    expect(made).toEqual([[null, { paths: [STATE, SAMPLER], change: { action: "delete" } }]]);
  });

  it("keeps it listed if the service refuses", async () => {
    const { options, lines } = await changes("Qwen/Qwen3-8B");
    const change = () => Promise.reject(new Error("refused"));
    await expect(removeCheckpoint(RUN, ENTRY, { ...options, change })).rejects.toThrow("refused");
    expect(await lines()).toEqual([ENTRY]);
  });

  it("does nothing without confirmation", async () => {
    user.presses = [];
    const { options, made, lines } = await changes("local/tiny-tool");
    expect(await removeCheckpoint(RUN, ENTRY, options)).toBe(false);
    expect(made).toEqual([]);
    expect(await lines()).toEqual([ENTRY]);
  });

  it("is refused while the run is in progress", async () => {
    const { options } = await changes("local/tiny-tool");
    const removal = removeCheckpoint({ ...RUN, isLive: true }, ENTRY, options);
    await expect(removal).rejects.toThrow("demo is running");
    expect(user.details).toEqual([]);
  });

  it("is refused for a checkpoint of unknown ownership", async () => {
    const { options, files } = await changes("local/tiny-tool");
    await files.remove(`${RUN.folder}/config.resolved.json`);
    await expect(removeCheckpoint(RUN, ENTRY, options)).rejects.toThrow("does not record where");
  });
});
