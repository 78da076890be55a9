import { describe, expect, it } from "vitest";
import type { GraderConfig } from "../../../../src/core/config/fields/schema.ts";
import { AppError, isAppError } from "../../../../src/core/errors.ts";
import type { DatasetSource } from "../../../../src/local/environment/dataset/datasetSource.ts";
import { loadDataset } from "../../../../src/local/environment/dataset/loadDataset.ts";
import { GRADER, SOURCE } from "./aSource.ts";
import { bytesOf, PARQUET } from "./parquetFiles.ts";

interface Given {
  readonly file?: string;
  readonly grader?: Partial<GraderConfig>;
  readonly columns?: Partial<DatasetSource["columns"]>;
  readonly splitFractions?: DatasetSource["splitFractions"];
}

function load(content: string | Uint8Array, given: Given = {}) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return loadDataset(
    { readBytes: async () => bytes },
    {
      ...SOURCE,
      path: `/data/${given.file ?? "questions.jsonl"}`,
      columns: { ...SOURCE.columns, ...given.columns },
      grader: { ...GRADER, ...given.grader },
      splitFractions: given.splitFractions ?? { train: 0.9, test: 0.1 },
    },
  );
}

async function faultsOf(content: string | Uint8Array, given: Given = {}): Promise<string> {
  const error = await load(content, given).catch((caught: unknown) => caught);
  if (!isAppError(error, "dataset-invalid")) throw new Error(`expected a fault, got ${error}`);
  expect(error.configPath).toBe("environments.local/dataset.tasks");
  return error.message;
}

const lines = (...rows: readonly unknown[]): string =>
  rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");

const GOOD = { question: "Is it?", answer: "yes" };

describe("unusable rows are reported with row, column and reason", () => {
  const question = "Why?";
  const answer = "So.";
  it.each<readonly [string, unknown, Given, string]>([
    ["a missing question", { answer }, {}, "row 2, question: is missing"],
    ["a missing answer", { question }, {}, "row 2, answer: is missing"],
    ["null", { question: null, answer }, {}, "row 2, question: is null"],
    ["an empty text", { question, answer: "  " }, {}, "row 2, answer: is empty"],
    ["a number as question", { question: 5, answer }, {}, "row 2, question: is a number"],
    ["a nested value", { question, answer: { a: 1 } }, {}, "row 2, answer: is an object"],
    [
      "an integer that is rounded",
      '{"question": "Why?", "answer": 12345678901234567890}',
      {},
      "row 2, answer: has more digits than a number keeps: write it as text, in quotes",
    ],
    ["a list as answer", { question, answer: ["a"] }, {}, "row 2, answer: is a list"],
    ["a system that is no text", { question, answer, system: 1 }, {}, "row 2, system: is a number"],
    [
      "choices that are no list",
      { question, answer, choices: "a|b" },
      {},
      "row 2, choices: is not a list",
    ],
    ["one choice", { question, answer, choices: ["a"] }, {}, "row 2, choices: has fewer than two"],
    [
      "a choice that is no text",
      { question, answer, choices: ["a", null] },
      {},
      "row 2, choices: choice 2 is null",
    ],
    [
      "equal choices",
      { question, answer, choices: ["a", "b", "A "] },
      {},
      "row 2, choices: choices 1 and 3 are the same",
    ],
    [
      "too many choices",
      { question, answer, choices: Array.from({ length: 27 }, (_, index) => `c${index}`) },
      {},
      "row 2, choices: has 27 choices",
    ],
    ["a long text", { question: "x".repeat(100_001), answer }, {}, "row 2, question: has 100001"],
    ["half a surrogate pair", { question: "\ud800", answer }, {}, "row 2, question: has half of"],
    ["a null character", { question, answer: "a\0b" }, {}, "row 2, answer: has a null character"],
    [
      "another answer",
      { ...GOOD, question: " is  IT?", answer: "no" },
      {},
      "row 2, answer: differs",
    ],
    ["invalid JSON", '{"question": "Why?",}', {}, "row 2 is not valid JSON"],
    ["a list", '["Why?", "So."]', {}, "row 2 is a list"],
    [
      "no number",
      { question, answer: "x" },
      { grader: { type: "number" } },
      'row 2, answer: is "x", not a number',
    ],
    [
      "no pattern",
      { question, answer: "(" },
      { grader: { type: "regex" } },
      "row 2, answer: is not a regular",
    ],
    [
      "no JSON",
      { question, answer: "{" },
      { grader: { type: "json" } },
      "row 2, answer: is not JSON",
    ],
    [
      "no choice",
      { question, answer: "c", choices: ["a", "b"] },
      { grader: { type: "choice" } },
      "row 2, answer: is not among the choices",
    ],
  ])("%s", async (_, row, given, expected) => {
    const first = { ...GOOD, choices: ["yes", "no"], answer: "yes" };
    const start: Record<string, unknown> = {
      number: { ...GOOD, answer: 1 },
      choice: first,
      json: { ...GOOD, answer: [1] },
    };
    const good = start[given.grader?.type ?? ""] ?? GOOD;
    expect(await faultsOf(lines(good, row), given)).toContain(
      `questions.jsonl:2:1: error: TRL222 ${expected}`,
    );
  });

  it("an invalid or missing split name, and a question in two splits", async () => {
    const rows = [
      { ...GOOD, split: "train" },
      { question: "a", answer: "b" },
      { question: "b", answer: "b", split: "no/name" },
      { ...GOOD, split: "test" },
    ];
    expect((await faultsOf(lines(...rows))).split("\n")).toEqual([
      "/data/questions.jsonl: error: the data file has 3 problems",
      "/data/questions.jsonl:2:1: error: TRL222 row 2, split: is missing (environments.local/dataset.tasks)",
      "/data/questions.jsonl:3:1: error: TRL222 row 3, split: is not the name of a split: use letters, digits, `_`, `.` and `-` (environments.local/dataset.tasks)",
      "/data/questions.jsonl:4:1: error: TRL222 row 4, split: puts the question of row 1 into another split (environments.local/dataset.tasks)",
    ]);
  });
});

describe("an unusable file", () => {
  it("lists ten problems and the number of further ones", async () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({ question: `q${index}`, answer: "" }));
    const [head, ...rest] = (await faultsOf(lines(...rows))).split("\n");
    expect(head).toBe(
      "/data/questions.jsonl: error: the data file has 25 problems, the first 10 of them",
    );
    expect(rest).toHaveLength(10);
    expect(rest.at(-1)).toBe(
      "/data/questions.jsonl:10:1: error: TRL222 row 10, answer: is empty (environments.local/dataset.tasks)",
    );
  });

  it.each([
    ["", "has no rows"],
    ["\n\n", "has no rows"],
    [
      lines({ prompt: "a", label: "b" }),
      'has no column "question" for the question; it has "prompt", "label"',
    ],
  ])("%j: %s", async (content, expected) => {
    expect(await faultsOf(content)).toContain(`TRL222 the file ${expected}`);
  });

  it("requires an optional column that the configuration names", async () => {
    const columns = { system: "instructions" };
    expect(await faultsOf(lines(GOOD), { columns })).toContain('"instructions" for the system');
  });

  it.each([
    ["file-not-found", "/data/questions.jsonl: error: TRL222 the file does not exist"],
    ["file-too-large", "is larger than 200 MB"],
    ["file-unreadable", "denied"],
  ] as const)("is reported with the key of the configuration: %s", async (code, expected) => {
    const readBytes = () => Promise.reject(new AppError(code, "denied"));
    await expect(loadDataset({ readBytes }, SOURCE)).rejects.toMatchObject({
      code: "dataset-invalid",
      message: expect.stringContaining(expected),
      configPath: "environments.local/dataset.tasks",
    });
  });
});

describe("the environment of a dataset", () => {
  it("has the splits of the column, in any number and with any names", async () => {
    const rows = ["a", "b", "a", "c-1"].map((split, index) => ({
      question: `q${index}`,
      answer: "x",
      split,
    }));
    const { definition } = await load(lines(...rows));
    expect(definition.splits).toEqual({ a: 2, b: 1, "c-1": 1 });
    expect(definition.task("a", 1)).toMatchObject({ question: "q2" });
  });

  it("splits questions by their text alone, so that equal ones are in one split", async () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => ({
      question: `Q ${index}`,
      answer: "x",
    }));
    const twins = rows.map(({ question }) => ({ question: question.toLowerCase(), answer: "x" }));
    const splitFractions = { train: 0.5, test: 0.2, dev: 0.3 };
    const { definition } = await load(lines(...rows, ...twins), { splitFractions });
    const { splits } = definition;
    const questions = (split: string): ReadonlySet<string> =>
      new Set(
        Array.from({ length: splits[split] ?? 0 }, (_, index) =>
          String(definition.task(split, index)["question"]).toLowerCase(),
        ),
      );
    const [train, test, dev] = [questions("train"), questions("test"), questions("dev")];
    expect(train.size + test.size + dev.size).toBe(2_000);
    expect(train.size / 2_000).toBeCloseTo(0.5, 1);
    expect(test.size / 2_000).toBeCloseTo(0.2, 1);
    const { definition: other } = await load(lines(...rows.toReversed()), { splitFractions });
    expect(other.splits["test"]).toBe(test.size);
  });

  it.each<readonly [GraderConfig["type"], unknown, unknown]>([
    ["number", "1.0", "1"],
    ["json", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["exact", "So.", "so."],
  ])("takes answers that are equal for %s to the same question", async (type, one, other) => {
    const content = lines({ question: "Q", answer: one }, { question: "Q", answer: other });
    const grader = { type };
    expect((await load(content, { grader })).definition.splits).toEqual({ train: 2 });
    const different = lines({ question: "Q", answer: one }, { question: "Q", answer: "2" });
    expect(await faultsOf(different, { grader })).toContain("row 2, answer: differs from");
  });

  it("reads CSV and Parquet into the same tasks", async () => {
    const csv =
      'question,answer,choices\n"Which is hot?",fire,"[""ice"",""fire""]"\n"What is 1+1?",2,\n';
    const fromCsv = await load(csv, { file: "q.csv", splitFractions: { train: 1 } });
    expect(fromCsv.definition.task("train", 0)).toMatchObject({ choices: ["ice", "fire"] });
    expect(fromCsv.definition.task("train", 1)).toMatchObject({ choices: null });
    const parquet = await load(bytesOf(PARQUET.snappy), {
      file: "q.parquet",
      splitFractions: { train: 1 },
    });
    const task = parquet.definition.task("train", 1);
    expect(parquet.definition.prompt(task)).toBe("Which is hot?\n\nA) ice\nB) fire");
  });

  it("ends with reward 1 for the right answer and 0 for another", async () => {
    const { definition } = await load(lines(GOOD), { splitFractions: { train: 1 } });
    const task = definition.task("train", 0);
    const run = (value: string) =>
      definition.tools["answer"]?.run(definition.start(task), { value });
    expect(await run("Yes")).toMatchObject({ text: "right", reward: 1, finished: true });
    expect(await run("no")).toMatchObject({ text: "wrong", reward: 0, finished: true });
  });

  it("explains the answer format in the prompt if configured", async () => {
    const given = { grader: { in_prompt: true }, splitFractions: { train: 1 } };
    const { definition } = await load(lines(GOOD), given);
    expect(definition.prompt(definition.task("train", 0))).toBe(
      "Is it?\n\nCall `answer`, or write the answer alone on the last line. Spacing and letter case do not matter.",
    );
  });

  it("has the SHA-256 of its file", async () => {
    const [one, same, other] = await Promise.all([
      load(lines(GOOD)),
      load(lines(GOOD)),
      load(`${lines(GOOD)}\n`),
    ]);
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(same.digest).toBe(one.digest);
    expect(other.digest).not.toBe(one.digest);
  });
});
