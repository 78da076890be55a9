import { expect, it } from "vitest";
import { flatSettings, SettingsTable } from "../../../src/core/compare/settingsTable.ts";
import { sha256 } from "../../../src/node/hash.ts";

const same = { shorten: (text: string): string => text, sha256 };

it("a configuration is flattened into leaves without empty maps, with shortened texts", () => {
  const sources = [{ path: "/home/me/a.jsonl", weight: 1 }];
  const config = {
    a: 1,
    b: { c: null, d: [1, 2], e: {} },
    path: "/home/me/x",
    sources,
  };
  const shorten = (text: string): string => text.replace("/home/me", "~");
  expect([...flatSettings(config, { shorten, sha256 })]).toEqual([
    ["a", "1"],
    ["b.c", "null"],
    ["b.d", "[1,2]"],
    ["path", '"~/x"'],
    ["sources", '[{"path":"~/a.jsonl","weight":1}]'],
  ]);
  expect(flatSettings("no configuration", same).size).toBe(0);
});

it("the table has the differing settings of the training, including keys that a run lacks", () => {
  const table = new SettingsTable();
  const add = (run: string, config: object) => table.set(run, flatSettings(config, same));
  add("one", { seed: 1, lr: 1, model: "m" });
  expect(table.differing()).toEqual([]);
  add("two", { seed: 2, lr: 1, model: "m", extra: true });
  add("three", { seed: 3, lr: 1, model: "m", agent: null, run_name: "other", stop_at_step: 2 });
  expect(table.differing()).toEqual(["seed", "extra"]);
  expect(table.of("two")).toEqual({ seed: "2", extra: "true" });
  expect(table.of("one")).toEqual({ seed: "1" });
  expect(["one", "two", "three"].map((run) => table.differencesOf(run))).toEqual([0, 2, 1]);
  table.delete("two");
  expect(table.differing()).toEqual(["seed"]);
});

it("the table has long values truncated, but still distinguishes them", () => {
  const table = new SettingsTable();
  const prompt = "Answer briefly. ".repeat(100);
  table.set("one", flatSettings({ prompt }, same));
  table.set("two", flatSettings({ prompt }, same));
  expect(table.differing()).toEqual([]);
  table.set("three", flatSettings({ prompt: `${prompt}Use the calculator.` }, same));
  expect(table.differing()).toEqual(["prompt"]);
  expect(table.of("three")["prompt"]?.length).toBeLessThan(prompt.length);
});

it("no settings differ once the only different run is removed", () => {
  const table = new SettingsTable();
  for (const [run, lr] of Object.entries({ one: 1, two: 2, three: 2 })) {
    table.set(run, flatSettings({ lr }, same));
  }
  expect(table.differing()).toEqual(["lr"]);
  table.delete("one");
  expect(table.differing()).toEqual([]);
});

it("a restored table continues, and reports whether a run's settings changed", () => {
  const settings = flatSettings({ seed: 2, lr: 1 }, same);
  const first = new SettingsTable();
  expect(first.set("one", flatSettings({ seed: 1, lr: 1 }, same))).toBe(true);
  expect(first.set("two", settings)).toBe(true);
  const table = new SettingsTable();
  table.restore(JSON.parse(JSON.stringify(first.stored())));
  expect(table.runs()).toEqual(["one", "two"]);
  expect(table.of("two")).toEqual({ seed: "2" });
  expect(table.set("two", settings)).toBe(false);
  expect(table.delete("two")).toBe(true);
  expect(table.delete("two")).toBe(false);
});
