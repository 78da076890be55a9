import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isResumable } from "../../../src/core/runs/runWords.ts";
import { COMMANDS } from "../../../src/host/manifest/commandTable.ts";
import { runRow } from "../../../src/host/views/runRow.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { aRun } from "../runEntries.ts";

const NOW_MS = 1_800_000_000_000;
beforeAll(() => vi.spyOn(Date, "now").mockReturnValue(NOW_MS));
afterAll(() => vi.restoreAllMocks());

const plain = { isArchived: false, isSpinning: false };

describe("the row of a run", () => {
  it("shows step, reward and the reward's trend", () => {
    expect(runRow(aRun(), plain)).toMatchObject({
      label: "demo",
      description: "0.63 ▲ · 12/200",
      spoken:
        "run demo, running, step 12 of 200, mean reward 0.63, Learning: 0.10 → 0.63 in 12 steps",
      context: "run+running+training",
    });
  });

  it.each([
    [{ phase: "done", isLive: false, steps: 200 }, "0.63 · 200 steps · done"],
    [{ phase: "stopped", isLive: false, repeats: 0 }, "0.63 · 12/200 · stopped"],
    [{ phase: "interrupted", isLive: false }, "interrupted · 12/200 · 0.63 · repeats 2 steps"],
    [
      { phase: "stopped", isLive: false, repeats: null },
      "0.63 · 12/200 · stopped · repeats 12 steps",
    ],
    [
      {
        phase: "failed",
        isLive: false,
        repeats: 0,
        expiry: { atMs: NOW_MS + 5_400_000, repeats: 9 },
      },
      "failed · 12/200 · 0.63 · last state expires in 1 h 30 min",
    ],
    [{ phase: "paused" }, "paused · 12/200 · 0.63"],
    [{ phase: "pausing" }, "pausing after step 13 · 0.63"],
    [{ phase: "running", totalSteps: null, trend: null }, "0.63 · step 12"],
    [{ phase: "running", steps: 0, reward: null, trend: null }, "0/200"],
    [{ phase: "unreadable", isLive: false }, "damaged, or from another version"],
  ] as const)("in state %j reads %j", (changes, description) => {
    expect(runRow(aRun(changes), plain).description).toBe(description);
  });

  it.each([
    ["running", "sync", "list.warningForeground", "1 alarm · 0.63 ▲ · 12/200"],
    ["done", "warning", "list.warningForeground", "1 alarm · 0.63 · 12 steps · done"],
    ["failed", "error", "testing.iconFailed", "1 alarm · failed · 12/200"],
  ] as const)("an alarm shows on a run that is %s", (phase, icon, color, description) => {
    const run = aRun({ phase, isLive: phase === "running", alarms: ["entropy_collapse"] });
    const row = runRow(run, plain);
    expect(row).toMatchObject({ icon, color });
    expect(row.description).toMatch(new RegExp(`^${description}`));
  });

  it("labels an evaluation by its models, and offers no resume", () => {
    const models = ["base", "step 10"].map((name, step) => ({ name, path: null, step }));
    const file: RunFile = aRunFile({ configPath: "a.yaml" });
    const evaluation = { models, digest: "d" };
    const changes = { phase: "stopped", isLive: false, steps: 0 } as const;
    const run = aRun({ ...changes, file: { ...file, evaluation } });
    expect(runRow(run, plain).description).toBe("stopped · evaluation of 2 models");
    // Commands that need the run's own weights, such as a conversation, are not offered.
    expect(runRow(run, plain).context).toBe("run+ended");
    expect(isResumable(run)).toBe(false);
    expect(isResumable({ ...run, file })).toBe(true);
  });

  it("shows the preparation step that the trainer reports", () => {
    const status = {
      ...({
        pid: 1,
        phase: "preparing",
        preparing: "loading the tokenizer",
        folder: null,
      } as const),
      step: 0,
      totalSteps: null,
      rollouts: null,
      evaluated: null,
      rewardMean: null,
      trend: null,
      attached: 1,
    };
    const run = aRun({ phase: "preparing", status });
    expect(runRow(run, plain).description).toBe("preparing: loading the tokenizer");
  });

  it.each([
    ["stopped", "cost-budget", "0.63 · 12/200 · stopped, max_cost_usd is used up"],
    ["done", "target-reached", "0.63 · 12 steps · done, target_reward is reached"],
    ["stopped", "stopped", "0.63 · 12/200 · stopped"],
  ] as const)("%s with %s shows the cause of its end", (phase, code, text) => {
    const ending = { code, message: "The run has ended." };
    const file: RunFile = aRunFile({ phase, ending, configPath: "/projects/config.yaml" });
    const { description } = runRow(aRun({ phase, isLive: false, file }), plain);
    expect(description).toMatch(new RegExp(`^${text}`));
  });

  it("shows that it is archived", () => {
    const row = runRow(aRun(), { ...plain, isArchived: true });
    expect(row.description).toBe("0.63 ▲ · 12/200 · archived");
    expect(row.context).toBe("run+running+training+archived");
  });

  it("animates its icon only when allowed", () => {
    const row = runRow(aRun(), { ...plain, isSpinning: true });
    expect(row.icon).toBe("sync~spin");
    expect(runRow(aRun(), plain).icon).toBe("sync");
  });

  it("offers to continue as soon as a pause was requested", () => {
    expect(runRow(aRun({ phase: "pausing" }), plain).context).toBe("run+paused+training");
    expect(runRow(aRun({ phase: "finishing" }), plain).context).toBe("run+ending+training");
  });
});

describe("a run can be resumed", () => {
  it.each(["stopped", "interrupted", "failed"] as const)("when it is %s", (phase) => {
    expect(isResumable(aRun({ phase, isLive: false }))).toBe(true);
  });

  it("when it is done and its plan has grown", () => {
    expect(isResumable(aRun({ phase: "done", isLive: false, steps: 200 }))).toBe(false);
    expect(isResumable(aRun({ phase: "done", isLive: false, steps: 100 }))).toBe(true);
  });

  it("when its trackers lack data, which its row shows", () => {
    const left = { rollouts: 48, rows: 1, isSummaryMissing: false };
    const run = aRun({ phase: "done", isLive: false, steps: 200, pendingReports: left });
    expect(isResumable(run)).toBe(true);
    expect(runRow(run, plain).description).toContain(
      "48 rollouts to upload · 1 row for Weights & Biases",
    );
  });

  it("never while a trainer is running", () => {
    expect(isResumable(aRun())).toBe(false);
  });
});

describe("the trend of the reward", () => {
  const levels = { since: 4, steps: 20, was: 0.72, now: 0.23, slope: -0.02, slopeError: 0.003 };
  const fall = { since: 4, was: 0.72, low: 0.2, error: 0.05 };

  it.each([
    [
      { ...levels, direction: "falling", fall },
      "0.63 ▼ · 12/200",
      "Falling since step 5: was 0.72, now 0.23",
    ],
    [{ ...levels, direction: "flat", fall: null }, "0.63 · 12/200", "Flat for 20 steps"],
    [
      { direction: "unclear", steps: 4, groups: 12 },
      "0.63 · 12/200",
      "Too early to tell (12 groups)",
    ],
  ] as const)("covers all its steps, as an arrow and as a sentence: %j", (trend, text, spoken) => {
    const row = runRow(aRun({ trend }), plain);
    expect(row.description).toBe(text);
    expect(row.spoken).toContain(spoken);
  });
});

describe("a run whose last state expires", () => {
  const hours = (count: number) => ({ atMs: NOW_MS + count * 3_600_000, repeats: null });

  it.each([
    [{ isLive: false, phase: "interrupted", expiry: hours(5) }, true],
    [{ isLive: false, phase: "interrupted", expiry: hours(50) }, false],
    [{ isLive: false, phase: "interrupted", expiry: null }, false],
    [{ isLive: true, phase: "running", expiry: hours(5) }, false],
  ] as const)("can be kept from its row if it expires within a day: %j", (changes, isOffered) => {
    const { context } = runRow(aRun(changes), plain);
    expect(context.split("+").includes("expiring")).toBe(isOffered);
  });
});

const PLAIN = { isArchived: false, isSpinning: false };

/** Whether a row's menu offers the command: the regular expressions of its when clause. */
function isOffered(command: string, contextValue: string): boolean {
  const menus = COMMANDS.get(command)?.menus ?? [];
  const when = menus.find(({ menu }) => menu === "view/item/context")?.when ?? "";
  const patterns = Array.from(
    when.matchAll(/viewItem =~ \/(.+?)\/(?= |$)/g),
    ([, found]) => found ?? "",
  );
  if (patterns.length === 0) throw new Error(`This clause does not look at the row: ${when}`);
  return patterns.every((pattern) => new RegExp(pattern).test(contextValue));
}

it("a row offers the evidence when an alarm is raised, and announces it to screen readers", () => {
  const healthy = runRow(aRun(), PLAIN);
  const ill = runRow(aRun({ alarms: ["reward_decline"] }), PLAIN);
  expect([healthy, ill].map(({ context }) => isOffered("showAlarm", context))).toEqual([
    false,
    true,
  ]);
  expect(ill.spoken).toContain("alarm: The reward falls from its best");
  expect(healthy.spoken).not.toContain("alarm");
});

it("the row of an evaluation offers to stop it, and no commands that need steps", () => {
  const models = [{ name: "base", path: null, step: 0 }];
  const file = aRunFile({ evaluation: { models, digest: "d" } });
  const [training, evaluation] = [{}, { file }].map((more) =>
    runRow(aRun({ isLive: true, phase: "running", ...more }), PLAIN),
  );
  for (const command of ["pauseRun", "saveCheckpointNow", "changeRunSettings"]) {
    expect(isOffered(command, training?.context ?? "")).toBe(true);
    expect(isOffered(command, evaluation?.context ?? "")).toBe(false);
  }
  expect(isOffered("stopRun", evaluation?.context ?? "")).toBe(true);
});
