import { expect, it, vi } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { savedCheckpoints } from "../../../src/host/views/savedCheckpoints.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const RUN = "/runs/demo";

function aSave(name: string): CheckpointEntry {
  return aCheckpointEntry({ name, step: 1, state_path: `tinker://x/weights/${name}` });
}

function aList() {
  const fileSystem = createMemoryFileSystem();
  let runId = "first";
  const saved = savedCheckpoints({ fileSystem, runIdOf: () => runId });
  const reading = vi.spyOn(fileSystem, "readRange");
  const names = async () => (await saved.read(RUN)).map(({ name }) => name);
  const replaceRun = (): void => {
    fileSystem.files.clear();
    runId = "second";
  };
  return { fileSystem, saved, reading, names, replaceRun };
}

it("reads a list once, and again after a save", async () => {
  const { fileSystem, reading, names } = aList();
  expect(await names()).toEqual([]);
  await appendCheckpoint(fileSystem, RUN, aSave("a"));
  expect([await names(), await names()]).toEqual([["a"], ["a"]]);
  expect(reading).toHaveBeenCalledTimes(1);
  await appendCheckpoint(fileSystem, RUN, aSave("b"));
  expect(await names()).toEqual(["a", "b"]);
});

it("detects another run in the same folder whose list has the same length", async () => {
  const { fileSystem, names, replaceRun } = aList();
  await appendCheckpoint(fileSystem, RUN, aSave("a"));
  expect(await names()).toEqual(["a"]);
  replaceRun();
  await appendCheckpoint(fileSystem, RUN, aSave("b"));
  expect(await names()).toEqual(["b"]);
});

it("an unreadable list hides no other list", async () => {
  const { fileSystem, saved } = aList();
  await appendCheckpoint(fileSystem, RUN, aSave("a"));
  const unreadable = new AppError("file-unreadable", "Not for you.");
  vi.spyOn(fileSystem, "readRange").mockRejectedValue(unreadable);
  expect(await saved.read(RUN)).toEqual([]);
});

it("knows which lists are at Tinker, once the run folder names its model", async () => {
  const { fileSystem, saved, replaceRun } = aList();
  const isHosted = () => saved.isHosted(RUN);
  const train = (model_name: string) =>
    fileSystem.writeAtomic(`${RUN}/config.resolved.json`, JSON.stringify({ model_name }));
  expect(await isHosted()).toBe(false);
  await train("Qwen/Qwen3-8B");
  expect([await isHosted(), await isHosted()]).toEqual([true, true]);
  replaceRun();
  await train("local/tiny-tool");
  expect(await isHosted()).toBe(false);
});
