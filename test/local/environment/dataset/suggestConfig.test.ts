import { expect, it } from "vitest";
import { configForDataset } from "../../../../src/local/environment/dataset/datasetHead.ts";
import { messagesIn, parse } from "../../../core/config/configText.ts";
import { createMemoryFileSystem } from "../../../core/runFolder/memoryFileSystem.ts";
import { bytesOf, PARQUET } from "./parquetFiles.ts";

async function suggest(name: string, content: string | Uint8Array) {
  const fileSystem = createMemoryFileSystem();
  await fileSystem.writeAtomic(`/data/${name}`, content);
  const text = await configForDataset(fileSystem, `/data/${name}`);
  expect(messagesIn(text)).toEqual([]);
  const result = parse(text);
  if (!result.ok) throw new Error("expected a sound configuration");
  const { environments, evaluation } = result.config;
  return { ...environments["local/dataset"], evaluated: evaluation?.splits ?? null };
}

it("columns with the usual names need no setting", async () => {
  expect(await suggest("q.jsonl", '{"question":"1+1?","answer":"2"}\n')).toMatchObject({
    tasks: "q.jsonl",
    columns: null,
    grader: { type: "number", in_prompt: true },
    splits: { train: {} },
    evaluated: { "local/dataset": ["test"] },
  });
});

it("columns with other names are detected", async () => {
  const text = "id,Problem,target,split\n1,Why?,So.,dev\n2,How?,Well.,train\n";
  expect(await suggest("my data.csv", text)).toMatchObject({
    tasks: "my data.csv",
    columns: { question: "Problem", answer: "target" },
    grader: { type: "exact" },
    evaluated: { "local/dataset": ["dev"] },
  });
});

it("a large file may have line breaks in its texts", async () => {
  const row = `"${"A long text.\n".repeat(1_000)}",1\n`;
  expect(await suggest("q.csv", `problem,solution\n${row.repeat(60)}`)).toMatchObject({
    columns: { question: "problem", answer: "solution" },
    grader: { type: "number" },
  });
});

it("unrecognizable columns default to the first two", async () => {
  expect(await suggest("q.csv", "no,yes: #\na,b\n")).toMatchObject({
    columns: { question: "no", answer: "yes: #" },
  });
});

it("choices and nested answers determine the grader", async () => {
  expect(await suggest("q.parquet", bytesOf(PARQUET.snappy))).toMatchObject({
    grader: { type: "choice" },
  });
  expect(await suggest("q.jsonl", '{"prompt":"x","answer":{"a":1}}\n')).toMatchObject({
    grader: { type: "json" },
  });
});

it("a file without rows still gives a configuration to complete", async () => {
  expect(await suggest("q.jsonl", "")).toMatchObject({ tasks: "q.jsonl", columns: null });
});
