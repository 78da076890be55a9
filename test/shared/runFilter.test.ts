import { describe, expect, it } from "vitest";
import { type FilterFields, type FilterValue, parseRunFilter } from "../../src/shared/runFilter.ts";

type Row = Readonly<Record<string, FilterValue>>;

const NAMES = ["name", "learning_rate", "reward.best", "state", "or"];
const FIELDS: FilterFields<Row> = {
  field: (name) => (NAMES.includes(name) ? (row) => row[name] ?? null : null),
  text: (row) => `${row["name"]}\n${row["state"]}`,
  examples: NAMES,
};
const ROWS: readonly Row[] = [
  { name: "slow", learning_rate: 1e-5, "reward.best": 0.4, state: "done" },
  { name: "fast", learning_rate: 1e-3, "reward.best": 0.8, state: "failed" },
  { name: "fast again", learning_rate: 5e-5, "reward.best": null, state: "done", or: "x" },
];

function found(text: string): readonly FilterValue[] {
  const filter = parseRunFilter(text, FIELDS);
  if (!filter.ok) throw new Error(filter.message);
  return ROWS.filter(filter.matches).map((row) => row["name"] ?? null);
}

function fault(text: string): string {
  const filter = parseRunFilter(text, FIELDS);
  return filter.ok ? "" : filter.message;
}

describe("the filter of the runs table", () => {
  it.each([
    ["", ["slow", "fast", "fast again"]],
    ["FAST", ["fast", "fast again"]],
    ["learning_rate < 1e-4", ["slow", "fast again"]],
    ["learning_rate<1e-4 name:fast", ["fast again"]],
    ["learning_rate <= 0.00001", ["slow"]],
    ["reward.best >= 0.4", ["slow", "fast"]],
    ["reward.best = none", ["fast again"]],
    ["reward.best > -1", ["slow", "fast"]],
    ["state = Failed or name = slow", ["slow", "fast"]],
    ["not state = done", ["fast"]],
    ["state != done", ["fast"]],
    ["(fast or slow) and not (failed)", ["slow", "fast again"]],
    ['name = "fast again"', ["fast again"]],
    ['"or"', []],
    ["or = x", ["fast again"]],
  ])("%s", (text, names) => {
    expect(found(text)).toEqual(names);
  });

  it.each([
    ["learning_rate <", "A value is missing after “learning_rate <”."],
    ["lr < 3", /^There is no field lr\. Fields are name, learning_rate/],
    ["learning_rate < fast", /compares numbers, and “fast” is not a number/],
    ["(fast", "A “(” is not closed."],
    ["fast)", "“)” has no opening parenthesis."],
    ['"fast', "A quotation mark is not closed."],
    ["fast or", "Something is missing at the end of the filter."],
    ["< 3", "A field or a word must precede “<”."],
  ])("says what is wrong with %s", (text, message) => {
    expect(fault(text)).toMatch(message);
  });
});
