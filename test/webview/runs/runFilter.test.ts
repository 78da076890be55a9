import { describe, expect, it } from "vitest";
import {
  DURATION,
  type FilterFields,
  type FilterValue,
  MOMENT,
  parseRunFilter,
  type Unit,
} from "../../../webview-ui/runs/runFilter.ts";

type Row = Readonly<Record<string, FilterValue>>;

const NAMES = ["name", "learning_rate", "reward.best", "state", "or", "started", "time"];
const UNITS: Readonly<Record<string, Unit>> = { started: MOMENT, time: DURATION };
const FIELDS: FilterFields<Row> = {
  field: (name) =>
    NAMES.includes(name)
      ? {
          value: (row) => row[name] ?? null,
          ...(UNITS[name] === undefined ? {} : { unit: UNITS[name] }),
        }
      : null,
  text: (row) => `${row["name"]}\n${row["state"]}`,
  names: NAMES,
  examples: ["name", "state"],
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

  const morning = new Date(2026, 9, 1, 8, 30).getTime();
  it.each([
    ["started > 2026-09-30", true],
    ["started > 2026-10-01", false],
    ["started >= 2026-10-01", true],
    ["started <= 2026-10-01", true],
    ["started < 2026-10-01", false],
    ["started = 2026-10-01", true],
    ["started != 2026-10-01", false],
    ["started:2026-10-01", true],
    ["started > 2026", false],
    ["started = 2026", true],
    ["started < 2027", true],
    ["started = 2026-10", true],
    ["started > 2026-09", true],
    ["started > 2026-10", false],
    ["started = none", false],
    ['started > "2026-10-01 08:00"', true],
    ['started > "2026-10-01 09:00"', false],
    ["time > 1m", true],
    ["time > 1.5h", false],
    ["time = 90s", true],
    ["time < 2min", true],
    ["time < 90", false],
    ["time < 2 min", true],
    ["time < 1 h time > 80 s", true],
    ["time:90s", true],
  ])("accepts human-readable times, with days, months and years as needed: %s", (text, isFound) => {
    const filter = parseRunFilter(text, FIELDS);
    expect(filter.ok && filter.matches({ started: morning, time: 90 })).toBe(isFound);
  });

  it.each([
    ["learning_rate <", "A value is missing after “learning_rate <”."],
    ["lr < 3", "There is no field lr. Did you mean learning_rate?"],
    ["learning_rat < 3", "There is no field learning_rat. Did you mean learning_rate?"],
    ["seed = 3", "There is no field seed. Some fields are name, state."],
    ["started > yesterday", /^“yesterday” is not a time\. Write a date such as 2026-10-31/],
    ["started > 2026-13-01", /^“2026-13-01” is not a time/],
    ["started > 2026-02-31", /^“2026-02-31” is not a time/],
    ["started > 2026-13", /^“2026-13” is not a time/],
    ["started = yesterday", /^“yesterday” is not a time/],
    ["started != yesterday", /^“yesterday” is not a time/],
    ["started:yesterday", /^“yesterday” is not a time/],
    ["time > soon", /^“soon” is not a time\. Write a time such as 90s/],
    ["learning_rate < fast", /compares numbers, and “fast” is not a number/],
    ["(fast", "A “(” is not closed."],
    ["fast)", "“)” has no opening parenthesis."],
    ['"fast', "A quotation mark is not closed."],
    ["fast or", "Something is missing at the end of the filter."],
    ["< 3", "A field or a word must precede “<”."],
  ])("reports the error in %s", (text, message) => {
    expect(fault(text)).toMatch(message);
  });
});
