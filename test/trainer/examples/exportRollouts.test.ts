import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { ExportFormat } from "../../../src/core/examples/exportRow.ts";
import { parseChatExample } from "../../../src/core/examples/parseChatExample.ts";
import { storedTools } from "../../../src/core/rollout/episodeRecord.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { markRollout } from "../../../src/core/runFolder/marks.ts";
import { exportRollouts } from "../../../src/trainer/examples/exportRollouts.ts";
import { aRecord, aRecordedTurn } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { type StoredOne, writeStoredRun } from "./storedRun.ts";

const CONFIG = {
  model_name: "org/model",
  environments: { [aRecord({}).environment]: { splits: { train: {} } } },
};

const fileSystem = filesOnDisk();
const folder = folderOfEachTest();

function writeRun(records: readonly StoredOne[], name = "one") {
  const rollouts = records.map((record, at) => ({ promptText: `Task ${at}`, ...record }));
  return writeStoredRun(fileSystem, join(folder, name), rollouts, CONFIG);
}

async function exported(
  runs: string | readonly string[],
  format: ExportFormat = "messages",
  more = {},
) {
  const output = join(folder, "data");
  const choice = { where: null, starred: false, tags: [], maxPerTask: null, ...more };
  const common = { fileSystem, folders: [runs].flat(), output, license: "mit" };
  const result = await exportRollouts({ ...common, choice, format });
  return { result, output };
}

async function linesOf(path: string) {
  const text = await readFile(path, "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

const empty = aRecordedTurn({ content: "", calls: [], results: [] });
const error = { kind: "not_readable", raw: "{", message: "The call is not JSON." };
const images = [{ file: "a.png", width: 1, height: 1, tokens: 1 }];
const declared = (description: string, schema: object) =>
  storedTools([
    { type: "function", function: { name: "find", description, parameters: { ...schema } } },
  ]);
const long = "a".repeat(4_001);
const whole = declared("Finds.", { type: "object" });

describe("rollouts as a dataset", () => {
  it("are conversations that can be read back, with task, reward and marks", async () => {
    const schema = '{"type":"object","properties":{"value":{"type":"integer"}}}';
    const tools = [{ name: "answer", description: "Ends.", parameters: schema }];
    const { run } = await writeRun([{ tools }, { reward: 0, tools }]);
    const place = { source: "training", step: 0, group: 0, rollout: 0 } as const;
    await markRollout(fileSystem.within(run), run, place, { star: true, note: "Look." });
    const { output } = await exported(run);
    const [first, second] = await linesOf(join(output, "train.jsonl"));
    expect(first).toMatchObject({
      task_index: 0,
      reward: 1,
      star: true,
      note: "Look.",
      run: "one",
    });
    expect(second).toMatchObject({ task_index: 1, reward: 0, star: false });
    expect(parseChatExample(first)).toEqual({
      split: "train",
      task: "local/calculator:train:0",
      tools: [
        {
          type: "function",
          function: { name: "answer", description: "Ends.", parameters: JSON.parse(schema) },
        },
      ],
      messages: [
        { role: "system", content: "You have tools." },
        { role: "user", content: "Task 0" },
        {
          role: "assistant",
          content: "",
          reasoning: null,
          calls: [{ id: "call_0", name: "answer", args: { value: 5 } }],
        },
      ],
    });
  });

  it("are deduplicated, filtered, and counted on the dataset card", async () => {
    const same = { promptText: "Same" };
    const { run } = await writeRun([same, same, { reward: 0 }, {}]);
    const { result, output } = await exported(run, "messages", { where: "reward >= 1" });
    expect(result).toEqual({ rows: { train: 2 }, tasks: 2, doubles: 1, unsaid: 0, unpaired: 0 });
    const card = await readFile(join(output, "README.md"), "utf8");
    expect(card).toContain("license: mit");
    expect(card).toContain("| one | org/model | 2 |");
    expect(card).toContain("Rollouts with `reward >= 1`.");
    expect(card).toContain("Duplicate conversations removed: 1.");
  });

  it("are limited per task, across all runs", async () => {
    const { run: one } = await writeRun([{ index: 7, reward: 0.5 }, { index: 8 }], "one");
    const { run: two } = await writeRun([{ index: 7, promptText: "Better" }], "two");
    const { result, output } = await exported([one, two], "messages", { maxPerTask: 1 });
    expect(result).toMatchObject({ rows: { train: 2 }, tasks: 2 });
    const rows = await linesOf(join(output, "train.jsonl"));
    expect(rows).toContainEqual(expect.objectContaining({ task_index: 7, run: "two", reward: 1 }));
  });

  it("keep their order also when the best of each task are chosen", async () => {
    const { run } = await writeRun([{ index: 7, reward: 0.5 }, { index: 8 }]);
    const { output } = await exported(run, "messages", { maxPerTask: 1 });
    const rows = await linesOf(join(output, "train.jsonl"));
    expect(rows).toMatchObject([{ task_index: 7 }, { task_index: 8 }]);
  });

  it("are the best rollouts of a task that the format can represent", async () => {
    const { run } = await writeRun([
      { index: 7, turns: [aRecordedTurn({ content: "", calls: [] })] },
      { index: 7, reward: 0.5, ids: null },
      { index: 7, reward: 0.25 },
    ]);
    const limit = { maxPerTask: 1 };
    const { output } = await exported(run, "messages", limit);
    expect(await linesOf(join(output, "train.jsonl"))).toMatchObject([{ reward: 0.5 }]);
    await rm(output, { recursive: true });
    await exported(run, "tokens", { ...limit, where: "reward < 1" });
    expect(await linesOf(join(output, "train.jsonl"))).toMatchObject([{ reward: 0.25 }]);
  });

  it("of an evaluation are training data if training draws from the split, too", async () => {
    const { run, store } = await writeRun([]);
    await mkdir(runPaths(run).evalFolder);
    for (const [index, split] of ["train", "validation"].entries()) {
      const use = { purpose: "evaluation", model: "base", temperature: 1 };
      await store.addEvaluated(aRecord({ split, index, group: index }), use, []);
    }
    expect((await exported(run)).result.rows).toEqual({ train: 1, test: 1 });
  });

  it.each<[string, readonly StoredOne[]]>([
    [
      "cannot represent a turn",
      [{ turns: [empty] }, { turns: [aRecordedTurn({ errors: [error] })] }],
    ],
    ["would replace an image by text", [{ images }]],
    [
      "lack part of a tool",
      [
        { tools: declared(long, { type: "object" }) },
        { tools: declared("Finds.", { description: long }) },
        { tools: Array.from({ length: 256 }, () => whole).flat() },
      ],
    ],
  ])("are left out if messages %s, but exported as tokens", async (_, unsaid) => {
    const { run } = await writeRun([...unsaid, { tools: whole }]);
    const { result, output } = await exported(run);
    expect(result).toMatchObject({ rows: { train: 1 }, unsaid: unsaid.length });
    const card = await readFile(join(output, "README.md"), "utf8");
    expect(card).toContain(`several conversations: ${unsaid.length} left`);
    await rm(output, { recursive: true });
    expect((await exported(run, "tokens")).result.rows).toEqual({ train: unsaid.length + 1 });
  });

  it("are all exported as tokens, even with equal tokens", async () => {
    const same = { promptText: "Same", group: 0, index: 0 };
    const { run } = await writeRun([same, { ...same, rollout: 1 }]);
    const { rows, doubles } = (await exported(run, "tokens")).result;
    expect({ rows, doubles }).toEqual({ rows: { train: 2 }, doubles: 0 });
  });

  it("are numbered by steps from 1, and by completed steps for evaluations", async () => {
    const { run } = await writeRun([{ step: 0 }, { step: 1 }]);
    const { result, output } = await exported(run, "messages", { where: "step = 2" });
    expect(result.rows).toEqual({ train: 1 });
    expect(await linesOf(join(output, "train.jsonl"))).toMatchObject([{ step: 1 }]);
    const played = await writeRun([], "played");
    await mkdir(runPaths(played.run).evalFolder);
    const use = { purpose: "evaluation", model: "base", temperature: 1 };
    await played.store.addEvaluated(aRecord({ step: 2 }), use, []);
    await rm(output, { recursive: true });
    expect((await exported(played.run, "messages", { where: "step = 2" })).result.rows).toEqual({
      train: 1,
    });
  });

  it("are the best and the worst of each group as preferences", async () => {
    const result = { name: "", text: "Right.", isError: false, reward: 1, finished: true };
    const said = (content: string) => [aRecordedTurn({ content, calls: [], results: [result] })];
    const one = (rollout: number, reward: number, index = 7) => ({
      group: index,
      rollout,
      index,
      reward,
      promptText: "Which?",
      tools: [{ name: "answer", description: "Ends.", parameters: "{}" }],
      turns: said(`Answer ${rollout}`),
    });
    const { run } = await writeRun([one(0, 0.5), one(1, 1), one(2, 0), one(0, 1, 8), one(1, 1, 8)]);
    const { result: counts, output } = await exported(run, "preference");
    expect(counts).toMatchObject({ rows: { train: 1 }, tasks: 1, unpaired: 0 });
    expect(await linesOf(join(output, "train.jsonl"))).toEqual([
      {
        prompt: [
          { role: "system", content: "You have tools." },
          { role: "user", content: "Which?" },
        ],
        chosen: [{ role: "assistant", content: "Answer 1" }],
        rejected: [{ role: "assistant", content: "Answer 2" }],
        tools: [
          { type: "function", function: { name: "answer", description: "Ends.", parameters: {} } },
        ],
        split: "train",
        environment: "local/calculator",
        task_split: "train",
        task_index: 7,
        chosen_reward: 1,
        rejected_reward: 0,
        run: "one",
        step: 0,
        group: 7,
        chosen_rollout: 1,
        rejected_rollout: 2,
      },
    ]);
    await rm(output, { recursive: true });
    const other = { ...one(0, 1), promptText: "Who?" };
    const asked = await writeRun([other, one(1, 0.5), one(2, 0)], "asked");
    const pair = await exported(asked.run, "preference");
    expect(await linesOf(join(pair.output, "train.jsonl"))).toMatchObject([
      { chosen_rollout: 1, rejected_rollout: 2 },
    ]);
    expect(pair.result.unpaired).toBe(0);
    await rm(output, { recursive: true });
    const alone = [{ ...one(0, 1, 8), promptText: "Who?" }, one(1, 0, 8)];
    const mixed = await writeRun([one(0, 0.5), one(1, 0), ...alone], "mixed");
    expect((await exported(mixed.run, "preference")).result).toMatchObject({
      rows: { train: 1 },
      unpaired: 1,
    });
    await rm(output, { recursive: true });
    await expect(exported(run, "preference", { where: "reward = 1" })).rejects.toThrow(
      "no task has two with different rewards",
    );
  });

  it("of a test split are written to a separate file", async () => {
    const { run } = await writeRun([{}, { split: "test" }]);
    const { result, output } = await exported(run);
    expect(result.rows).toEqual({ train: 1, test: 1 });
    expect(await linesOf(join(output, "test.jsonl"))).toMatchObject([{ task_split: "test" }]);
  });

  it("include what training needs when exported as tokens", async () => {
    const { output } = await exported((await writeRun([{}])).run, "tokens");
    expect(await linesOf(join(output, "train.jsonl"))).toMatchObject([
      {
        tokens: [1, 100],
        logprobs: [0, -1],
        trainer_logprobs: [null, -1.5],
        mask: [0, 1],
        advantages: [0, 2],
        reward: 1,
      },
    ]);
  });

  it("do not count tasks without stored tokens", async () => {
    const { run } = await writeRun([{}, { ids: null, promptText: "Never trained on" }]);
    expect((await exported(run, "tokens")).result).toMatchObject({ rows: { train: 1 }, tasks: 1 });
  });

  it("are columns in Parquet", async () => {
    const { output } = await exported((await writeRun([{}, { reward: 0.5 }])).run, "parquet");
    const bytes = await readFile(join(output, "train.parquet"));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const rows = await parquetReadObjects({ file });
    expect(rows.map(({ reward }) => reward)).toEqual([1, 0.5]);
    expect(JSON.parse(String(rows[0]?.["messages"]))).toHaveLength(4);
  });

  it("are refused if none matches, or if the folder exists", async () => {
    const { run } = await writeRun([{ reward: 0 }]);
    await expect(exported(run, "messages", { where: "reward > 0" })).rejects.toMatchObject({
      code: "no-examples",
    });
    await exported(run);
    await expect(exported(run)).rejects.toMatchObject({ code: "folder-not-empty" });
  });

  it("are refused if no matching one can be exported", async () => {
    const { run } = await writeRun([{ ids: null }]);
    await expect(exported(run, "tokens")).rejects.toThrow("their tokens are not stored");
    const agent = { exit: "0", output: "", refusals: [] };
    const several = await writeRun([{ agent, turns: [aRecordedTurn({ stream: 1 })] }], "several");
    await expect(exported(several.run)).rejects.toThrow(
      /can be written as messages, .* or several conversations\. Set --format tokens/,
    );
  });
});
