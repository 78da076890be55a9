import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { AppError } from "../../../src/core/errors.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { writeState } from "../../../src/core/runFolder/state.ts";
import type { CheckpointChange } from "../../../src/core/tinker/checkpointChange.ts";
import type { CheckpointPlace } from "../../../src/host/commands/changeCheckpoint.ts";
import { removeCheckpoint } from "../../../src/host/commands/removeCheckpoint.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aRunState } from "../../trainer/runState.ts";

const editor = vi.hoisted(() => ({
  answer: undefined as string | undefined,
  details: [] as string[],
}));
vi.mock("vscode", async () => ({
  ...(await import("../keys/fakeVscode.ts")).fakeVscode,
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  workspace: { getWorkspaceFolder: () => undefined },
  ProgressLocation: { Notification: 15 },
  window: {
    showWarningMessage: async (_: string, { detail }: { detail: string }) => {
      editor.details.push(detail);
      return editor.answer;
    },
    withProgress: (_: unknown, work: () => Promise<unknown>) => work(),
  },
}));

const STATE = "tinker://s:train:0/weights/a";
const SAMPLER = "tinker://s:train:0/sampler_weights/a";
const ENTRY: CheckpointEntry = aCheckpointEntry({
  name: "a",
  step: 10,
  state_path: STATE,
  sampler_path: SAMPLER,
});
const RUN = { name: "demo", folder: "/runs/demo", isLive: false } as RunEntry; // what is read of one

async function aRemoval(model: string) {
  const fileSystem = createMemoryFileSystem();
  const resolved = `${RUN.folder}/config.resolved.json`;
  await fileSystem.writeAtomic(resolved, JSON.stringify({ model_name: model, lora_rank: 8 }));
  const removed: string[] = [];
  const lines: CheckpointEntry[] = [];
  const options = {
    fileSystem,
    append: async (_: string, entry: CheckpointEntry) => void lines.push(entry),
    change: async (
      { kind }: CheckpointPlace,
      { paths, change: { action } }: { paths: readonly string[]; change: CheckpointChange },
    ) => void removed.push(...paths.map((path) => `${action} ${path} at ${kind}`)),
    now: () => 0,
    isOwn: async () => true,
  };
  return { options, removed, lines };
}

beforeEach(() => {
  editor.answer = "Delete Checkpoint";
  editor.details.splice(0);
});

describe("deleting a checkpoint", () => {
  it("removes both of its folders here, and notes in the run that they no longer exist", async () => {
    const { options, removed, lines } = await aRemoval("local/tiny-tool");
    expect(await removeCheckpoint(RUN, ENTRY, options)).toBe(true);
    expect(removed).toEqual([
      `delete ${STATE} at this computer`,
      `delete ${SAMPLER} at this computer`,
    ]);
    expect(lines).toEqual([{ ...ENTRY, expires_at: "1970-01-01T00:00:00.000Z" }]);
    expect(editor.details).toEqual([
      `It was saved after step 10 and is deleted from this computer.\n${STATE}\n${SAMPLER}\nThis cannot be undone.`,
    ]);
  });

  it("says what a resume loses with it", async () => {
    const { options } = await aRemoval("local/tiny-tool");
    const paths = { step: 10, state_path: STATE, sampler_path: null, expires_at: null };
    await writeState(options.fileSystem, RUN.folder, aRunState(10, { last_checkpoint: paths }));
    await removeCheckpoint(RUN, ENTRY, options);
    const before = { ...ENTRY, name: "b", step: 5, state_path: `${STATE}b`, state: aRunState(5) };
    await appendCheckpoint(options.fileSystem, RUN.folder, before);
    await removeCheckpoint(RUN, ENTRY, options);
    expect(editor.details.map((detail) => detail.split("\n").at(-2))).toEqual([
      "A resume begins with this checkpoint. Without it, the run cannot be resumed.",
      "A resume begins with this checkpoint. Without it, a resume begins after step 5.",
    ]);
  });

  it("warns where only the run folder says that the run saved it", async () => {
    const { options } = await aRemoval("local/tiny-tool");
    await removeCheckpoint(RUN, ENTRY, { ...options, isOwn: async () => false });
    expect(editor.details.at(-1)).toContain(
      `${SAMPLER}\nOnly the run folder says that demo saved this; your trainers on this computer did not save it. It may belong to another run.\n`,
    );
  });

  it("asks the service for those of hosted models", async () => {
    const { options, removed, lines } = await aRemoval("Qwen/Qwen3-8B");
    expect(await removeCheckpoint(RUN, ENTRY, options)).toBe(true);
    expect(removed).toEqual([`delete ${STATE} at Tinker`, `delete ${SAMPLER} at Tinker`]);
    expect(lines).toHaveLength(1);
  });

  it("keeps it listed when the service refuses", async () => {
    const { options, lines } = await aRemoval("Qwen/Qwen3-8B");
    const change = () => Promise.reject(new AppError("tinker-auth", "no"));
    const removal = removeCheckpoint(RUN, ENTRY, { ...options, change });
    await expect(removal).rejects.toMatchObject({ code: "tinker-auth" });
    expect(lines).toEqual([]);
  });

  it("does nothing without a yes", async () => {
    editor.answer = undefined;
    const { options, removed, lines } = await aRemoval("local/tiny-tool");
    expect(await removeCheckpoint(RUN, ENTRY, options)).toBe(false);
    expect([removed, lines]).toEqual([[], []]);
  });

  it("is refused while the run is in progress", async () => {
    const { options } = await aRemoval("local/tiny-tool");
    const removal = removeCheckpoint({ ...RUN, isLive: true }, ENTRY, options);
    await expect(removal).rejects.toThrow("demo is running");
    expect(editor.details).toEqual([]);
  });

  it("is refused where no one knows whose it is", async () => {
    const { options } = await aRemoval("local/tiny-tool");
    await options.fileSystem.remove(`${RUN.folder}/config.resolved.json`);
    await expect(removeCheckpoint(RUN, ENTRY, options)).rejects.toThrow("does not record where");
  });
});
