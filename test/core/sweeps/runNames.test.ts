import { expect, it } from "vitest";
import { plainName, runNames } from "../../../src/core/sweeps/runNames.ts";

it("a run is named by its settings, with the last part of each key", () => {
  const settings = [["learning_rate=1e-5", "environments.local/calculator.num_rollouts=4"]];
  expect(runNames("demo", settings)).toEqual(["demo.learning_rate_1e-5.num_rollouts_4"]);
});

it("keys with the same last part are named in full", () => {
  const settings = [["environments.a/b.num_rollouts=4", 'environments."c.d".num_rollouts=8']];
  expect(runNames("demo", settings)).toEqual([
    "demo.environments.a-b.num_rollouts_4.environments.c.d.num_rollouts_8",
  ]);
});

it("names use only characters allowed by every file system and by run names", () => {
  const values = ["Qwen/Qwen3-8B", "[0, 1]", '"a: b"', "-1", "null", ""];
  const names = runNames(
    "demo",
    values.map((value) => [`model_name=${value}`]),
  );
  expect(names).toEqual([
    "demo.model_name_Qwen-Qwen3-8B",
    "demo.model_name_0-1",
    "demo.model_name_a-b",
    "demo.model_name_-1",
    "demo.model_name_null",
    "demo.model_name_empty",
  ]);
  expect(plainName("…")).toBe("sweep");
});

it("names that would be equal or too long are numbered", () => {
  expect(runNames("demo", [["a=x/y"], ["a=X-Y"]])).toEqual(["demo.a_x-y", "demo.a_X-Y.2"]);
  const [long = ""] = runNames("demo", [[`a=${"x".repeat(200)}`]]);
  expect(long).toHaveLength(80);
  expect(long.endsWith("x.1")).toBe(true);
});
