import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { sourceFacts } from "../../../src/trainer/examples/sourceFacts.ts";
import { aConfig } from "../../core/training/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { writeStoredRun } from "./storedRun.ts";

const folder = folderOfEachTest();
const fileSystem = filesOnDisk();

function factsOf(given: Partial<Config["data"][number]>, changes: Partial<Config> = {}) {
  const none = { path: null, run: null, where: null, starred: false, tags: [], max_per_task: null };
  const source = { ...none, ...given };
  const config = aConfig({ method: "sft", ...changes });
  const configPath = join(folder, "sft.yaml");
  return sourceFacts({ fileSystem, configPath, config, source, index: 0 });
}

function line(answers: readonly string[], more: object = {}): string {
  const messages = answers.flatMap((content) => [
    { role: "user", content: "Hi" },
    { role: "assistant", content },
  ]);
  return `${JSON.stringify({ messages, ...more })}\n`;
}

describe("a file of conversations", () => {
  it("is counted as a run would read it", async () => {
    const rows = [line(["A", "B"]), "\n", line(["C"], { split: "test" })];
    await writeFile(
      join(folder, "a.jsonl"),
      [...rows, line(["D"], { split: "held_out" })].join(""),
    );
    expect(await factsOf({ path: "a.jsonl" })).toMatchObject({
      kind: "read",
      unit: "example",
      count: 2,
      turns: 3,
      heldOut: 1,
      test: 1,
      isPart: false,
      refusedCount: 0,
    });
  });

  it("reports untrainable rows with the reason", async () => {
    await writeFile(join(folder, "a.jsonl"), `${line(["A"])}{"messages": []}\nnothing\n`);
    const facts = await factsOf({ path: "a.jsonl" });
    expect(facts).toMatchObject({ count: 1, refusedCount: 2 });
    expect(facts.kind === "read" && facts.refused).toEqual([
      "Row 2 of a.jsonl cannot be trained on: messages: there is no message of the assistant to imitate.",
      expect.stringContaining("Row 3 of a.jsonl cannot be trained on: this is not JSON"),
    ]);
  });

  it("is read to the end only if it is short", async () => {
    await writeFile(join(folder, "a.jsonl"), line(["A"]).repeat(20_001));
    expect(await factsOf({ path: "a.jsonl" })).toMatchObject({ count: 20_000, isPart: true });
    await writeFile(join(folder, "a.jsonl"), line(["A"]).repeat(20_000));
    expect(await factsOf({ path: "a.jsonl" })).toMatchObject({ count: 20_000, isPart: false });
  });

  it("is reported as invalid if it is not one", async () => {
    expect(await factsOf({ path: "none.jsonl" })).toMatchObject({
      kind: "unreadable",
      message: expect.stringContaining("none.jsonl does not exist"),
    });
    expect(await factsOf({ path: "." })).toMatchObject({ kind: "unreadable" });
  });
});

describe("a run", () => {
  const writeRun = (rewards: readonly number[], split = "train") =>
    writeStoredRun(
      fileSystem,
      join(folder, "one"),
      rewards.map((reward) => ({ reward, split })),
    );

  it("is counted by the rollouts that match its filters", async () => {
    await writeRun([1, 0, 1]);
    expect(await factsOf({ run: "one", where: "reward >= 1" })).toMatchObject({
      kind: "read",
      unit: "rollout",
      count: 2,
    });
  });

  it("is counted with a limit per task whose tokens are stored", async () => {
    const rollouts = [{ ids: null }, {}, {}].map((each) => ({ ...each, index: 5 }));
    await writeStoredRun(fileSystem, join(folder, "one"), rollouts);
    expect(await factsOf({ run: "one", max_per_task: 1 })).toMatchObject({ count: 1 });
  });

  it("that gives no examples, or only evaluation rollouts, says why", async () => {
    await writeRun([0]);
    expect(await factsOf({ run: "one", where: "reward >= 1" })).toMatchObject({
      message: "one gives no example: none of its rollouts passes the filters.",
    });
    expect(await factsOf({ run: "other" })).toMatchObject({
      message: expect.stringContaining("is not the folder of a run"),
    });
    expect(await factsOf({ run: "one" }, { model_name: "local/other" })).toMatchObject({
      kind: "unreadable",
      message: expect.stringContaining("tokenizer"),
    });
  });

  it("with rollouts of a test split is rejected", async () => {
    await writeRun([1], "test");
    expect(await factsOf({ run: "one" })).toMatchObject({
      message: expect.stringContaining("reserved for evaluation"),
    });
  });
});
