import { expect, it } from "vitest";
import { datasetSettings } from "../../../../src/core/config/fields/schema.ts";
import { configIn, messagesIn, textWith, textWithEnvironment } from "../configText.ts";

/** A configuration whose environment is a dataset with these lines. */
function dataset(...lines: readonly string[]): string {
  return textWithEnvironment(...lines).replace("Owner/Game", "local/dataset");
}

it("a dataset has defaults for everything but its file", () => {
  const { environments } = configIn(dataset("tasks: q.csv"));
  const settings = Object.values(environments).map(datasetSettings);
  expect(settings).toMatchObject([
    {
      tasks: "q.csv",
      columns: { question: "question", answer: "answer" },
      grader: { type: "exact", case_sensitive: false },
      splitFractions: { train: 0.9, test: 0.1 },
    },
  ]);
});

it("omitted column and grader settings have their defaults", () => {
  const { environments } = configIn(
    dataset("tasks: q.jsonl", "columns: {question: prompt}", "grader: {type: number}"),
  );
  const settings = Object.values(environments).map(datasetSettings);
  expect(settings).toMatchObject([
    { columns: { question: "prompt", answer: "answer" }, grader: { type: "number" } },
  ]);
});

it("several datasets have names of their own", () => {
  expect(
    messagesIn(dataset("tasks: q.jsonl").replace("local/dataset", "local/dataset:algebra")),
  ).toEqual([]);
  expect(
    messagesIn(dataset("tasks: q.jsonl").replace("local/dataset", "local/dataset:A b"))[0],
  ).toContain("TRL300");
});

it.each([
  ["its file", [], "run.yaml:4:3: error: TRL223 A dataset needs `tasks`"],
  [
    "a file of a known kind",
    ["tasks: q.txt"],
    "run.yaml:6:12: error: TRL223 A dataset is a .jsonl, .csv",
  ],
  [
    "shares that add up to 1",
    ["tasks: q.csv", "split_fractions: {train: 0.9, test: 0.2}"],
    "run.yaml:7:22: error: TRL223 The shares of the splits must add up to 1, not 1.1.",
  ],
])("a dataset requires %s", (_, lines, expected) => {
  expect(messagesIn(dataset(...lines))).toEqual([expect.stringContaining(expected)]);
});

it.each(["tasks: q.csv", "columns: {}", "grader: {}", "split_fractions: {train: 1}"])(
  "an environment that is not a dataset cannot have %s",
  (line) => {
    expect(messagesIn(textWithEnvironment(line))).toEqual([
      expect.stringContaining("TRL223 Only a `local/dataset` environment has"),
    ]);
  },
);

it("an evaluation dataset must be one of the environments", () => {
  const text = textWith("evaluation:", "  splits: {local/dataset: [test]}");
  expect(messagesIn(text)).toEqual([expect.stringContaining("TRL223 A dataset is described in")]);
});
