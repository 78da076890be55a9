import { describe, expect, it } from "vitest";
import { inlayHints } from "../../../../../src/core/config/editing/display/inlayHints.ts";
import type { MeasuredRun } from "../../../../../src/core/config/editing/display/measuredRun.ts";
import { aMeasuredRun } from "../aMeasuredRun.ts";

const TEXT = `model_name: Qwen/Qwen3-8B
batch_size: 32 # tasks
num_epochs: 2
max_steps: 200
learning_rate: 1e-5
max_response_tokens: 4096
max_total_tokens: 32768
rollout_timeout: 300
grad_clip_norm: 1.0
max_cost_usd: 200
max_tokens_total: 900000000
max_hours: 6
evaluation:
  every: 10
target_reward:
  reward: 0.9
environments:
  Owner/Game:
    num_rollouts: 8
    max_turns: 10
    splits: { train: {} }
  Owner/Other:
    num_rollouts: 8
    splits: { train: {} }
`;

/** Each line that has hints, with the hints in position. */
function shown(run: MeasuredRun | null, text = TEXT): readonly string[] {
  const hints = inlayHints(text, { path: "run.yaml", run });
  return text.split("\n").flatMap((line, index, lines) => {
    const start = lines.slice(0, index).join("\n").length + (index === 0 ? 0 : 1);
    const own = hints.filter(({ offset }) => offset > start && offset <= start + line.length);
    if (own.length === 0) return [];
    return own.map(({ offset, label }) =>
      `${line.slice(0, offset - start)} ‹${label}›${line.slice(offset - start)}`.trim(),
    );
  });
}

describe("hints next to the keys of a configuration", () => {
  it("are the measurements of its newest run, each next to the key that controls it", () => {
    expect(shown(aMeasuredRun())).toEqual([
      "batch_size: 32 ‹· 412k tokens/step · $0.83 · 1 min 35 s› # tasks",
      "max_steps: 200 ‹· 3 h 58 min and $124.50 left · step 50/200›",
      "max_response_tokens: 4096 ‹· 2.1% cut · mean 812, max 3.91k›",
      "max_total_tokens: 32768 ‹· 0% cut · mean 5.12k, max 12.3k›",
      "rollout_timeout: 300 ‹· under 0.1% timed out›",
      "grad_clip_norm: 1.0 ‹· norm 0.421›",
      "max_cost_usd: 200 ‹· $41.50 used›",
      "max_tokens_total: 900000000 ‹· 20.6M used›",
      "max_hours: 6 ‹· 1 h 30 min used›",
      "every: 10 ‹· 18% of all tokens · $7.20›",
      "reward: 0.9 ‹· 0.63 so far›",
      "Owner/Game: ‹· reward 0.71 · 41% solved›",
      "num_rollouts: 8 ‹· rewards differ in 38% of groups›",
      "max_turns: 10 ‹· 3.2 on average · 4% reach it›",
      "Owner/Other: ‹· reward 0.50›",
      "num_rollouts: 8 ‹· rewards differ in 38% of groups›",
    ]);
  });

  it("are not shown before the first step of a run, or in a text that cannot be read", () => {
    expect(shown(null)).toEqual([]);
    expect(shown(aMeasuredRun(), ": [")).toEqual([]);
    expect(shown(aMeasuredRun(), "")).toEqual([]);
  });

  it("omit what the run has not measured", () => {
    const nothing = { tokens: null, costUsd: null, seconds: null, gradientNorm: null };
    const run = aMeasuredRun({
      step: nothing,
      used: { tokens: null, costUsd: null, seconds: null },
    });
    const text = "batch_size: 32\nmax_cost_usd: 200\nmax_steps: 200\n";
    expect(shown(run, text)).toEqual(["max_steps: 200 ‹· 3 h 58 min left · step 50/200›"]);
  });

  it("show the total time of a finished run, not that of its last steps", () => {
    const run = aMeasuredRun({ steps: 200 });
    expect(shown(run, "max_steps: 200\n")).toEqual([
      "max_steps: 200 ‹· 200 steps in 1 h 30 min · $41.50›",
    ]);
    const untimed = { ...run, used: { ...run.used, seconds: null } };
    expect(shown(untimed, "max_steps: 200\n")).toEqual(["max_steps: 200 ‹· 200 steps · $41.50›"]);
  });

  it("show how far a run came that ended early, and no remaining time", () => {
    const run = aMeasuredRun({ isLive: false });
    expect(shown(run, "max_steps: 200\n")).toEqual([
      "max_steps: 200 ‹· 50/200 steps in 1 h 30 min · $41.50›",
    ]);
  });

  it("are at num_epochs when nothing else ends the run", () => {
    expect(shown(aMeasuredRun(), "num_epochs: 2\nmax_steps:\n")).toEqual([
      "num_epochs: 2 ‹· 3 h 58 min and $124.50 left · step 50/200›",
    ]);
  });

  it("show the scheduled learning rate, and nothing when the schedule did not change it", () => {
    const run = aMeasuredRun({ learningRate: 3.2e-6 });
    expect(shown(run, "learning_rate: 1e-5\n")).toEqual([
      "learning_rate: 1e-5 ‹· 0.0000032 at its last step›",
    ]);
  });

  it("show the measured value when the file has changed since", () => {
    const text = "batch_size: 64\nmax_response_tokens: 8192\n";
    expect(shown(aMeasuredRun(), text)).toEqual([
      "batch_size: 64 ‹· at 32: 412k tokens/step · $0.83›",
      "max_response_tokens: 8192 ‹· at 4096: 2.1% cut · mean 812, max 3.91k›",
    ]);
    const [hint] = inlayHints(text, { path: "run.yaml", run: aMeasuredRun() });
    expect(hint?.markdown).toContain("different values for `batch_size`, `max_response_tokens`.");
  });

  it("compare a stage's run with that stage's settings", () => {
    const stages = "stages:\n  one: { max_steps: 9 }\n  two: { max_steps: 200, batch_size: 8 }\n";
    const run = aMeasuredRun({ settings: { stage: "two", max_steps: 200, batch_size: 32 } });
    const text = `stage: two\nmax_steps: 3\nbatch_size: 64\n${stages}`;
    const [hint] = inlayHints(text, { path: "run.yaml", run });
    expect(hint?.markdown).toMatch(/The run used different values for `batch_size`\.$/);
  });

  it("name a changed key the way overrides write it", () => {
    const name = "Owner/Game.v2";
    const measured = { reward: 0.5, success: 0.4, meanTurns: 2, outOfTurns: 0 };
    const run = aMeasuredRun({
      settings: { environments: { [name]: { num_rollouts: 8 } } },
      environments: { [name]: measured },
    });
    const text = `environments:\n  ${name}:\n    num_rollouts: 4\n`;
    const hint = inlayHints(text, { path: "run.yaml", run }).at(-1);
    expect(hint?.label).toContain("at 8: ");
    expect(hint?.markdown).toContain('`environments."Owner/Game.v2".num_rollouts`');
  });

  it("are short enough to display fully, with details on hover", () => {
    const text = TEXT.replace("batch_size: 32", "batch_size: 64");
    const hints = inlayHints(text, { path: "run.yaml", run: aMeasuredRun() });
    expect(hints.filter(({ label }) => label.length > 43)).toEqual([]);
    expect(hints[0]?.label).not.toContain("1 min 35 s");
    expect(hints[0]?.markdown).toContain("at 32: 412k tokens/step · $0.83 · 1 min 35 s\n");
  });

  it("write step counts with separators", () => {
    const run = aMeasuredRun({ steps: 1_200, totalSteps: 20_000, secondsLeft: null });
    const [hint] = inlayHints("max_steps: 20000\n", { path: "run.yaml", run });
    expect(hint?.label).toMatch(/ step 1,200\/20,000$/);
    expect(hint?.markdown).toContain("up to step 1,200 of 20,000.");
  });

  it("show their run and the number of steps they are based on", () => {
    const run = aMeasuredRun({ name: "calc `x` [a](b)" });
    const [hint] = inlayHints(TEXT, { path: "run.yaml", run });
    expect(hint?.markdown).toContain(
      "Measured by run `calc 'x' [a](b)` in its last 10 steps, up to step 50 of 200.",
    );
    expect(hint?.markdown).not.toContain("other values");
  });

  it("never name a secret that changed", () => {
    const text = "batch_size: 32\nsecrets:\n  api_key: sk-hidden-value\n";
    const [hint] = inlayHints(text, { path: "run.yaml", run: aMeasuredRun() });
    expect(hint?.markdown).not.toContain("hidden");
    expect(hint?.markdown).not.toContain("other values");
  });
});
