import { expect, it } from "vitest";
import { sweepRow } from "../../../src/host/views/sweepRow.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { aRun } from "../runEntries.ts";

const FILE: RunFile = aRunFile({
  name: "demo-sweep.seed_1",
  owner: "editor",
  phase: "done",
  sweep: {
    id: "s",
    name: "demo-sweep",
    combination: 0,
    combinations: 2,
    settings: ["seed=1", "lora_rank=4"],
  },
});

it("shows how many runs are done, and their best final reward", () => {
  const done = aRun({ file: FILE, phase: "done", reward: 0.5, best: 0.634 });
  const running = aRun({ file: FILE, reward: 0.9, best: 0.5 });
  expect(sweepRow([done, running], true)).toMatchObject({
    label: "demo-sweep",
    description: "best 0.63 · 1/2 done",
    spoken: "sweep demo-sweep, 1 of 2 runs done, best reward 0.63",
    color: null,
  });
  expect(sweepRow([aRun({ file: FILE, best: null })], true).description).toBe("0/2 done");
});

it("counts runs that have not started yet", () => {
  const sweep = { id: "s", name: "demo-sweep", combination: 0, combinations: 4, settings: [] };
  const run = aRun({ file: { ...FILE, sweep }, phase: "running", reward: null });
  expect(sweepRow([run], true)).toMatchObject({
    description: "0/4 done",
    spoken: "sweep demo-sweep, 0 of 4 runs done",
  });
});

it("can be stopped in the window that runs it, and continued once nothing of it runs", () => {
  const done = aRun({ file: FILE, phase: "done", isLive: false });
  const stopped = aRun({ file: FILE, phase: "stopped", isLive: false });
  const running = aRun({ file: FILE, phase: "running", isLive: true });
  const menuOf = (...of: Parameters<typeof sweepRow>): string => sweepRow(...of).context;
  expect(menuOf([done, running], true)).toBe("sweep+sweeping");
  // Another window or a terminal runs it.
  expect(menuOf([done, running], false)).toBe("sweep");
  expect(menuOf([done, stopped], false)).toBe("sweep+unfinished");
  expect(menuOf([done, done], false)).toBe("sweep");
  expect(menuOf([done, { ...stopped, phase: "dropped" }], false)).toBe("sweep");
});

it("shows the failures and alarms of its runs, which are hidden while it is collapsed", () => {
  const failed = aRun({ file: FILE, phase: "failed", best: 0.5 });
  const alarming = aRun({ file: FILE, phase: "done", best: 0.634, alarms: ["entropy_collapse"] });
  expect(sweepRow([failed, alarming], false)).toMatchObject({
    label: "demo-sweep",
    description: "1 failed · 1 alarm · best 0.63 · 1/2 done",
    spoken: "sweep demo-sweep, 1 of 2 runs done, 1 failed, 1 alarm, best reward 0.63",
    color: "list.warningForeground",
  });
});
