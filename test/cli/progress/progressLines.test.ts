import { expect, test } from "vitest";
import { eventLines, liveLine } from "../../../src/cli/progress/progressLines.ts";
import { advanceProgress, INITIAL_PROGRESS } from "../../../src/cli/progress/progressModel.ts";
import { lineWidth, renderLine } from "../../../src/cli/terminal/line.ts";
import type { StoredResult } from "../../../src/core/runFolder/evaluationLog.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { aStoredResult } from "../../core/runFolder/builders.ts";
import { rolloutFinished, started, stepFinished } from "../fakeProgram.ts";

const PIPE = { width: Number.POSITIVE_INFINITY, isLive: false };
const WINDOW = { width: 80, isLive: true };
const invocation = { program: "tinker-rl", cwd: "/home/me" };

/** The screen after the events. */
function screen(events: readonly ProgressEvent[], layout = PIPE): readonly string[] {
  let model = INITIAL_PROGRESS;
  return events.flatMap((event) => {
    model = advanceProgress(model, event);
    const lines = eventLines(event, model, { ...layout, invocation });
    return lines.map((line) => renderLine(line, false));
  });
}

function live(events: readonly ProgressEvent[]): string | null {
  const line = liveLine(events.reduce(advanceProgress, INITIAL_PROGRESS));
  return line === null ? null : renderLine(line, false);
}

function aResult(changes: Partial<StoredResult>): StoredResult {
  const cell = { tasks: 128, rollouts: 128, rewardMean: 0.02, high: 0.04 };
  return aStoredResult({ ...cell, ...changes });
}

test("the header names model, environments, plan and run folder", () => {
  expect(screen([started()])).toEqual([
    "run           demo",
    "model         local/tiny-tool",
    "environments  local/calculator",
    "plan          40 steps of 16 groups",
    "run folder    runs/demo",
    "",
  ]);
  expect(screen([started({ step: 12 })])).toContain(
    "plan          40 steps of 16 groups, resumed at step 13",
  );
  expect(screen([started({ stopAtStep: 3 })])).toContain(
    "plan          40 steps of 16 groups, stops after step 3",
  );
});

test("an alarm shows its evidence, its meaning, and a remedy with the command for it", () => {
  const alarm: ProgressEvent = {
    kind: "alarm",
    id: "truncated_turns",
    step: 2,
    title: "Many turns are cut off",
    severity: "warning",
    seen: "41% of the turns were cut off by a token limit (alarm above 30%).",
    meaning: "A turn that is cut off seldom has a complete tool call.",
    edits: [{ path: ["max_response_tokens"], value: 96 }],
  };
  const [, ...reported] = screen([started(), alarm]).slice(-5);
  expect(reported).toEqual([
    "alarm: 41% of the turns were cut off by a token limit (alarm above 30%).",
    "       A turn that is cut off seldom has a complete tool call.",
    "       try max_response_tokens: 96",
    "       now: tinker-rl control runs/demo set max_response_tokens=96",
  ]);
  const identity = { path: ["environments", "a/b", "num_rollouts"], value: 16 };
  expect(screen([started(), { ...alarm, edits: [identity] }]).at(-1)).toBe(
    "       try environments.a/b.num_rollouts: 16, in a new run",
  );
  expect(screen([started(), { ...alarm, severity: "info", edits: [] }]).at(-2)).toMatch(
    /^note: {2}/,
  );
});

test("the end of an alarm is one line", () => {
  expect(screen([{ kind: "alarm-over", step: 5, title: "Many turns are cut off" }])).toEqual([
    "resolved: many turns are cut off",
  ]);
});

test("a pipe gets one plain line per step, aligned in columns", () => {
  const steps = [
    stepFinished(),
    stepFinished({ step: 12, rewardMean: null, loss: null, trainedGroups: 0, etaS: null }),
  ];
  expect(screen(steps)).toEqual([
    "step 12/40  reward  0.53  loss -12.3  groups 13/16  1.2 s   4,812 tok/s  ETA 35 s",
    "step 13/40  reward     –  loss     –  groups  0/16  1.2 s   4,812 tok/s",
  ]);
});

test("the line of a step shows failed agents and crashes, even if their rollouts have a reward", () => {
  expect(screen([stepFinished({ failedAgents: 3 })]).at(-1)).toMatch(/ {2}3 agents failed$/);
  expect(screen([stepFinished({ crashed: 14 })]).at(-1)).toMatch(/ {2}14 crashed$/);
  expect(screen([stepFinished({ failedAgents: 1 })], WINDOW).at(-1)).toMatch(/ {2}1 agent failed$/);
});

test("a run that may run out of data marks its steps as a bound, and shows the cost of groups without a signal", () => {
  const begun = started({ isTotalAtMost: true });
  const step = { isTotalAtMost: true, groups: 28, untrainedTokens: 1_234 };
  const lines = screen([begun, stepFinished(step)]);
  expect(lines.join("\n")).toContain("at most 40 steps of 16 groups");
  expect(lines.at(-1)).toBe(
    "step 12/≤40  reward  0.53  loss -12.3  groups 13/28  1.2 s   4,812 tok/s  ETA 35 s  1,234 tokens untrained",
  );
  expect(screen([begun, stepFinished(step)], WINDOW).at(-1)).toMatch(/ETA 35 s$/);
});

test("a window shows the last rewards and the columns that fit its width", () => {
  const steps = [0, 0.25, 0.5, 1].map((rewardMean, step) => stepFinished({ step, rewardMean }));
  expect(screen(steps, WINDOW).at(-1)).toBe(
    "step  4/40  reward  1.00 ▁▃▅█      loss -12.3  groups 13/16  1.2 s  ETA 35 s",
  );
  const repeated = [...steps, started({ step: 2 }), stepFinished({ step: 2, rewardMean: 0.5 })];
  expect(screen(repeated, WINDOW).at(-1)).toMatch(/reward {2}0.50 ▅ {2}/);
  expect(screen(steps, { ...WINDOW, width: 120 }).at(-1)).toContain("4,812 tok/s  ETA 35 s");
  for (const line of screen(steps, { ...WINDOW, width: 64 })) {
    expect(lineWidth([line])).toBeLessThanOrEqual(64);
  }
});

test("failed rollouts of a step are counted in its line", () => {
  const events: ProgressEvent[] = [
    { kind: "step-started", step: 11, rollouts: 4 },
    rolloutFinished(1, 1),
    rolloutFinished(2, null),
    stepFinished(),
    { kind: "step-started", step: 12, rollouts: 4 },
    stepFinished({ step: 12 }),
  ];
  expect(screen(events).map((line) => line.endsWith("  1 failed"))).toEqual([true, false]);
});

test("a later evaluation is compared with the first, by task if possible", () => {
  const before = [aResult({}), aResult({ temperature: 1, rewardMean: 0.2, low: 0.13, high: 0.27 })];
  const difference = { tasks: 64, mean: 0.89, low: 0.8, high: 0.98 };
  const after = [
    aResult({ rewardMean: 0.91, low: 0.86, high: 0.96, difference }),
    aResult({ temperature: 1, rewardMean: 0.78, low: 0.72, high: 0.84, failed: 2 }),
  ];
  const lines = screen([
    { kind: "evaluated", step: 0, purpose: "start", results: before, baseline: null },
    { kind: "evaluated", step: 40, purpose: "end", results: after, baseline: before },
  ]);
  expect(lines).toEqual([
    "evaluation before training",
    "  test split of local/calculator",
    "    greedy         0.02  95% CI [0.00, 0.04]",
    "    temperature 1  0.20  95% CI [0.13, 0.27]",
    "evaluation after 40 steps",
    "  test split of local/calculator",
    "    greedy         0.02 → 0.91  +0.89  95% CI [0.86, 0.96], of the change by task [+0.80, +0.98]",
    "    temperature 1  0.20 → 0.78  95% CI [0.72, 0.84]  2 of 128 rollouts failed",
  ]);
});

test("permanent checkpoints are reported, rolling ones are not", () => {
  const checkpoint = { kind: "checkpoint", name: "x_000010", step: 10, statePath: "" } as const;
  expect(
    screen([
      { ...checkpoint, checkpointKind: "rolling" },
      { ...checkpoint, checkpointKind: "periodic" },
    ]),
  ).toEqual(["saved x_000010 (periodic) after 10 steps"]);
});

test("the end shows how the reward moved and gives commands to copy", () => {
  const end = {
    kind: "ended",
    outcome: "stopped",
    folder: "/home/me/runs/demo",
    step: 12,
    reason: null,
    used: { tokens: 0, costUsd: null },
    fit: null,
    trend: {
      direction: "falling",
      since: 4,
      steps: 8,
      was: 0.72,
      now: 0.23,
      slope: -0.07,
      slopeError: 0.01,
    },
  } as const;
  expect(screen([end])).toEqual([
    "",
    "stopped and saved after 12 steps",
    "reward        Falling since step 5: was 0.72, now 0.23",
    "run folder    runs/demo",
    "resume        tinker-rl resume runs/demo",
    "inspect it    tinker-rl show runs/demo",
  ]);
  const done = screen([{ ...end, outcome: "done", trend: null }]);
  expect(done[1]).toBe("done after 12 steps");
  expect(done.join()).not.toMatch(/reward /);
  expect(done.slice(-3)).toEqual([
    "resume        tinker-rl resume runs/demo",
    "inspect it    tinker-rl show runs/demo",
    "To continue a finished run, raise max_steps or num_epochs.",
  ]);
});

test("the end of a supervised run shows how the loss fell", () => {
  const fit = { steps: 12, was: 0.08, now: 0.04, heldOut: null };
  const end = { kind: "ended", outcome: "done", folder: "/home/me/runs/sft", step: 12 } as const;
  const used = { tokens: 0, costUsd: null };
  expect(screen([{ ...end, trend: null, fit, reason: null, used }])).toContain(
    "learning      Loss: 0.0800 → 0.0400 in 12 steps",
  );
});

test("counts of a long run have separators, aligned in columns", () => {
  const long = { totalSteps: 10_000, trainedGroups: 1_013, groups: 1_200 };
  const [early, late] = screen([
    stepFinished({ ...long, step: 8 }),
    stepFinished({ ...long, step: 1_203 }),
  ]);
  expect(early).toMatch(/^step {6}9\/10,000 .* groups 1,013\/1,200 /);
  expect(late).toMatch(/^step {2}1,204\/10,000 /);
});

test("a warning about a configuration keeps the format that editors parse", () => {
  const warn = (message: string) => screen([{ kind: "warning", message }]);
  expect(warn("slow disk")).toEqual(["warning: slow disk"]);
  expect(warn("a.yaml:1:2: warning: odd")).toEqual(["a.yaml:1:2: warning: odd"]);
});

test("the live line follows the step from its rollouts to its training", () => {
  const begun: ProgressEvent[] = [started(), { kind: "step-started", step: 0, rollouts: 4 }];
  expect(live([{ kind: "preparing", what: "loading" }])).toBe("preparing: loading");
  expect(live(begun)).toBe("step 1/40  ░░░░░░░░░░░░░░░░  0 of 4 rollouts");
  const played = [...begun, rolloutFinished(1, 1), rolloutFinished(2, null), rolloutFinished(3, 0)];
  expect(live(played)).toBe("step 1/40  ████████████░░░░  3 of 4 rollouts  reward 0.50  1 failed");
  const training: ProgressEvent = { kind: "training", step: 0, datums: 104, tokens: 6240 };
  expect(live([...played, training])).toBe("step 1/40  training 104 datums, 6,240 tokens");
  expect(live([...played, training, stepFinished()])).toBeNull();
  expect(live([{ kind: "evaluating", step: 0, rollouts: 256, purpose: "start" }])).toBe(
    "evaluating 256 rollouts …",
  );
});

test("the live line uses the total of the last step, which new settings may have changed", () => {
  const next = { kind: "step-started", step: 12, rollouts: 4 } as const;
  const rollouts = "░░░░░░░░░░░░░░░░  0 of 4 rollouts";
  const longer = stepFinished({ totalSteps: 60 });
  expect(live([started(), longer, next])).toBe(`step 13/60  ${rollouts}`);
  const batch: ProgressEvent = {
    kind: "batch-finished",
    step: 11,
    totalSteps: 60,
    loss: 1,
    heldOutLoss: null,
    fit: null,
    examples: 4,
    tokens: 20,
    learningRate: 1e-3,
    totalS: 1,
    etaS: null,
    used: { tokens: 0, costUsd: null },
  };
  expect(live([started(), batch, next])).toBe(`step 13/60  ${rollouts}`);
});

test("an evaluation in parallel with a step is in its live line, and does not reset the step when it ends", () => {
  const begun: ProgressEvent[] = [
    started(),
    { kind: "step-started", step: 0, rollouts: 4 },
    rolloutFinished(1, null),
  ];
  const beside = { kind: "evaluating-beside", step: 0, rollouts: 16 } as const;
  const step = "step 1/40  ████░░░░░░░░░░░░  1 of 4 rollouts  1 failed";
  expect(live([...begun, { ...beside, done: 3 }])).toBe(`${step}  evaluating 3 of 16`);
  const training: ProgressEvent = { kind: "training", step: 0, datums: 2, tokens: 9 };
  const trained = [...begun, { ...beside, done: 3 }, training, stepFinished()];
  expect(live(trained)).toBe("evaluating 3 of 16");
  const over: ProgressEvent = {
    kind: "evaluated",
    step: 0,
    purpose: "periodic",
    results: [],
    baseline: null,
  };
  expect(live([...begun, { ...beside, done: 16 }, over])).toBe(step);
  expect(live([...trained, over])).toBeNull();
});

test("a pause in the middle of a step does not reset the step's progress", () => {
  const begun: readonly ProgressEvent[] = [
    started(),
    { kind: "step-started", step: 0, rollouts: 4 },
    rolloutFinished(1, 1),
  ];
  const pause: readonly ProgressEvent[] = [
    { kind: "paused", step: 0 },
    { kind: "continued", step: 0 },
  ];
  const rest = rolloutFinished(2, 0.5);
  expect(live([...begun, { kind: "paused", step: 0 }])).toBe("paused before step 1/40");
  expect(live([...begun, ...pause, rest])).toBe(live([...begun, rest]));
});

test("rollouts still being uploaded at the end are counted, and those left over are named", () => {
  const uploading = (waiting: number, isOver = false) =>
    ({ kind: "uploading", waiting, isOver }) as const;
  expect(screen([uploading(12), uploading(0, true)])).toEqual([
    "uploading 12 rollouts to OpenReward …",
    "all rollouts are uploaded to OpenReward",
  ]);
  expect(screen([uploading(1), uploading(1, true)], WINDOW)).toEqual([
    "1 rollout not uploaded to OpenReward yet; the next resume of the run uploads them",
  ]);
  expect(live([uploading(12)])).toBe("uploading 12 rollouts to OpenReward …");
  expect(live([uploading(12), uploading(3, true)])).toBeNull();
});

test("the plan names the steps that are sampled ahead", () => {
  const ahead = "plan          40 steps of 16 groups, sampled 2 steps ahead, resumed at step 13";
  expect(screen([started({ stepsAhead: 2, step: 12 })])).toContain(ahead);
});

test("sampled tokens are counted over the whole step, while sampling continues", () => {
  const step = stepFinished({ rolloutS: 0.01, totalS: 4, sampledTokens: 4_000 });
  const throughput = (stepsAhead: number) =>
    screen([started({ stepsAhead }), step])
      .join("\n")
      .match(/[\d,]+ tok\/s/)?.[0];
  expect(throughput(2)).toBe("1,000 tok/s");
  expect(throughput(0)).toBe("400,000 tok/s");
});
