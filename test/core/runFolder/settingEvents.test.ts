import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/runFolder/events.ts";
import {
  changedSettingLines,
  changedSettings,
  settingsChanged,
} from "../../../src/core/runFolder/settingEvents.ts";

const event = (own: Partial<RunEvent>): RunEvent => ({
  timeMs: 0,
  attempt: 1,
  step: 0,
  level: "info",
  kind: "run-started",
  message: "",
  data: {},
  ...own,
});
const rate = { path: ["learning_rate"], before: 0.004, after: 0.2 };

test("a change is shown with its first step and what it changed", () => {
  const written = settingsChanged(14, ["learning_rate", "wandb_base_url"], [rate]);
  expect(written.message).toBe(
    "From step 15 on, the run uses new settings: learning_rate 0.004 → 0.2, wandb_base_url changed.",
  );
  expect(changedSettingLines(changedSettings([event(written)]))).toEqual([
    "step 15: learning_rate 0.004 → 0.2, wandb_base_url changed",
  ]);
});

test("another stop is no change of the training", () => {
  const stop = { path: ["stop_at_step"], before: 2, after: 4 };
  const written = event(settingsChanged(2, ["stop_at_step"], [stop]));
  expect(changedSettings([written])).toEqual([]);
});

test("runs of older versions show which settings changed", () => {
  const old = event({ kind: "settings-changed", step: 14, data: { keys: ["learning_rate"] } });
  expect(changedSettingLines(changedSettings([old]))).toEqual(["step 15: learning_rate changed"]);
});

test("steps that a resume repeats include settings changed after them", () => {
  const changed = event(settingsChanged(14, ["learning_rate"], [rate]));
  const resumed = event({ attempt: 2, step: 10 });
  expect(changedSettingLines(changedSettings([changed, resumed]))).toEqual([
    "step 11: learning_rate 0.004 → 0.2",
  ]);
});
