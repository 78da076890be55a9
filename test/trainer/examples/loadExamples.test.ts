import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { markRollout } from "../../../src/core/runFolder/marks.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import { loadExamples } from "../../../src/trainer/examples/loadExamples.ts";
import { renderer, tokenizer } from "../../core/rollout/scriptedModel.ts";
import { aRecord } from "../../core/runFolder/builders.ts";
import { aConfig } from "../../core/training/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { type StoredOne, writeStoredRun } from "./storedRun.ts";

type Source = Partial<Config["data"][number]>;

const folder = folderOfEachTest();
const fileSystem = filesOnDisk();

async function load(sources: readonly Source[], changes: Partial<Config> = {}) {
  const none = { path: null, run: null, where: null, starred: false, tags: [], max_per_task: null };
  const data = sources.map((source) => ({ ...none, ...source }));
  const warnings: string[] = [];
  const config = aConfig({ method: "sft", held_out: 0, ...changes, data });
  const { trained, heldOut, digest } = await loadExamples({
    config,
    configPath: join(folder, "sft.yaml"),
    fileSystem,
    chat: { renderer, tokenizer },
    onWarning: (message) => warnings.push(message),
  });
  return { trained, heldOut, digest, warnings };
}

function line(answer: string, more: object = {}): string {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: answer },
  ];
  return `${JSON.stringify({ messages, ...more })}\n`;
}

/** A run whose rollouts have one turn of one token each. */
async function writeRun(
  name: string,
  rollouts: readonly StoredOne[],
  settings?: object,
): Promise<string> {
  const turns = aRecord().turns.map((turn) => ({ ...turn, tokens: 1 }));
  const stored = rollouts.map((each) => ({ turns, ...each }));
  return (await writeStoredRun(fileSystem, join(folder, name), stored, settings)).run;
}

describe("demonstrations from a file", () => {
  it("are its conversations, except those for tests", async () => {
    const file = join(folder, "demos.jsonl");
    const rows = [line("A"), "\n", line("B", { split: "test" }), line("C", { split: "held_out" })];
    await writeFile(file, `\uFEFF${rows.join("")}`);
    const { trained, heldOut, warnings } = await load([{ path: "demos.jsonl" }]);
    expect(trained.map(({ source, index }) => [source, index])).toEqual([["demos.jsonl", 0]]);
    expect(heldOut.map(({ index }) => index)).toEqual([3]);
    expect(warnings).toEqual([`${file}: 1 line of split test is left out.`]);
  });

  it("are rejected if the file does not exist", async () => {
    await expect(load([{ path: "none.jsonl" }])).rejects.toThrow(/none\.jsonl cannot be read/);
  });

  it("of one task are on the same side of the split, as for exported rollouts", async () => {
    const tasks = [0, 0, 0, 1, 1, 1];
    const place = { environment: "local/calculator", task_split: "train" };
    const rows = tasks.map((task_index) => line("A", { ...place, task_index }));
    await writeFile(join(folder, "train.jsonl"), rows.join(""));
    const { heldOut } = await load([{ path: "train.jsonl" }], { held_out: 0.1 });
    expect([
      [0, 1, 2],
      [3, 4, 5],
    ]).toContainEqual(heldOut.map(({ index }) => index));
  });

  it("have another digest if the task fields determine the held-out lines", async () => {
    const place = { environment: "local/calculator", task_split: "train" };
    const digestOf = async (more: (index: number) => object, held_out: number) => {
      const rows = Array.from({ length: 20 }, (_, i) => line(`A${i}`, more(i)));
      await writeFile(join(folder, "train.jsonl"), rows.join(""));
      return (await load([{ path: "train.jsonl" }], { held_out })).digest;
    };
    const exported = (task_index: number) => ({ ...place, task_index });
    const plain = await digestOf(() => ({}), 0.2);
    expect(await digestOf(() => ({}), 0)).toBe(plain);
    expect(await digestOf(exported, 0)).toBe(plain);
    expect(await digestOf(exported, 0.2)).not.toBe(plain);
  });

  it("that are too long are skipped and counted", async () => {
    await writeFile(join(folder, "demos.jsonl"), line("A") + line("B".repeat(500)));
    const { trained, warnings } = await load([{ path: "demos.jsonl" }], { max_total_tokens: 200 });
    expect(trained).toHaveLength(1);
    expect(warnings[0]).toMatch(/1 example of 2 has more tokens than max_total_tokens: 200/);
  });
});

describe("demonstrations from a run", () => {
  it("are its rollouts with the sampled token ids", async () => {
    await writeRun("one", [{ ids: [7, 8] }, { reward: 0 }, { reward: null }]);
    const { trained } = await load([{ run: "one", where: "reward >= 1" }]);
    expect(trained.map(({ streams }) => streams.map(({ tokens }) => [...tokens]))).toEqual([
      [[1, 100, 7, 8]],
    ]);
    expect(trained[0]?.streams.map(({ mask }) => [...mask])).toEqual([[0, 1, 0, 0]]);
  });

  it("are filtered by marks, and limited per task", async () => {
    const run = await writeRun("one", [{ index: 5, reward: 0 }, { index: 5 }, { index: 5 }, {}]);
    const few = await load([{ run: "one", max_per_task: 1 }]);
    expect(few.trained.map(({ record }) => record.reward)).toEqual([1, 1]);
    const files = fileSystem.within(run);
    const place = { source: "training", step: 0, group: 2, rollout: 0 } as const;
    await markRollout(files, run, place, { star: true, addTag: "good" });
    for (const source of [{ starred: true }, { tags: ["good", "best"] }]) {
      const { trained } = await load([{ run: "one", ...source }]);
      expect(trained.map(({ streams }) => streams[0]?.tokens[1])).toEqual([102]);
    }
  });

  it("are limited per task among the trainable ones", async () => {
    const task = { index: 5 };
    const images = [{ file: "a.png", width: 1, height: 1, tokens: 1 }];
    await writeRun("one", [
      { ...task, ids: null },
      { ...task, images },
      { ...task, reward: 0.5 },
    ]);
    const { trained } = await load([{ run: "one", max_per_task: 1 }]);
    expect(trained.map(({ index, record }) => [index, record.reward])).toEqual([[0, 0.5]]);
  });

  it("without tokens are skipped and counted", async () => {
    await writeRun("one", [{}, { ids: null }]);
    const { trained, warnings } = await load([{ run: "one" }]);
    expect(trained).toHaveLength(1);
    expect(warnings[0]).toMatch(/1 rollout of .* is left out, because no tokens of it are stored/);
  });

  it("with images are skipped and counted", async () => {
    const images = [{ file: "a.png", width: 1, height: 1, tokens: 1 }];
    const { run } = await writeStoredRun(fileSystem, join(folder, "run"), [{ images }, {}]);
    const { trained, warnings } = await load([{ run }]);
    expect(trained).toHaveLength(1);
    expect(warnings[0]).toMatch(/1 rollout of .* is left out, because only text can be trained on/);
  });

  it("never come from a split reserved for evaluation", async () => {
    const uniform = createUniform(11);
    const evaluation = { evaluation: { splits: { "local/calculator": ["dev"] } } };
    for (let round = 0; round < 40; round += 1) {
      const names = ["train", "dev", "test"];
      const splits = Array.from({ length: 5 }, () => names[Math.floor(uniform() * 3.2)] ?? "train");
      await writeRun(
        `run${round}`,
        splits.map((split) => ({ split })),
      );
      const loading = load([{ run: `run${round}` }], evaluation as unknown as Partial<Config>);
      const isKept = splits.some((split) => split !== "train");
      if (isKept) await expect(loading).rejects.toMatchObject({ code: "data-from-test" });
      else expect((await loading).trained).toHaveLength(5);
    }
  });

  it("are rejected with another tokenizer, without a run, and when none is left", async () => {
    await writeRun("other", [{}], { model_name: "local/tiny-tool", chat_format: "auto" });
    await expect(load([{ run: "other" }])).rejects.toMatchObject({ code: "data-other-tokenizer" });
    await expect(load([{ run: "none" }])).rejects.toMatchObject({ code: "run-not-found" });
    await writeRun("one", [{ reward: 0 }]);
    await expect(load([{ run: "one", where: "reward > 0" }])).rejects.toThrow(
      "data.0: one gives no example, because none of its rollouts passes the filters.",
    );
  });
});
