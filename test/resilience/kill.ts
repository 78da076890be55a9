/**
 * The kill test: kills a trainer with SIGKILL at every point of a step and of an evaluation, resumes it, and compares metrics,
 * tokens, rollouts, evaluations and requests with those of an undisturbed run. Its steps have tasks of two environments, each
 * more than once. Run: `npm run resilience:kill` (about fifteen minutes; with `-- --once`, in about three, each point is tried once with
 * rewards and once with another method, alternating); exits with code 1 on a difference.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import type { EvaluatedRollout } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { Limiter } from "../../src/core/util/limiter.ts";
import { groupBy } from "../../src/shared/groupBy.ts";
import { comparableRow, sortedKeys, withoutKeys } from "../integration/comparableRow.ts";

const STEPS = 4;
const KILL_STEP = 2;
const EVALUATED = [0, 2, STEPS];
/** Points within a step, counted from 0. */
const STEP_POINTS = [
  "before rollouts",
  "amid rollouts",
  "after rollouts",
  "submitted forward_backward",
  "submitted optim_step",
  "submitted sampler",
  "submitted save_state",
  "answered forward_backward",
  "answered optim_step",
  "answered sampler",
  "answered save_state",
  "metrics row written",
  "state before rename",
  "state after rename",
];
/** Points within the evaluation after this many steps. */
const EVALUATION_POINTS = [
  "amid evaluation",
  "evaluation before its results",
  "evaluation results written",
];
/** Concurrent trainers: each waits for its services half of the time. */
const AT_ONCE = 2;
const KILLED_TRAINER = resolve("dist/scripts/killedTrainer.js");

/** Points in a run whose rollouts are sampled ahead. */
const AHEAD_POINTS = [
  { point: "group stored", at: 0 },
  { point: "paused", at: KILL_STEP },
];
/** Between the submission of the next update and the metrics row of this one. */
const TWO_UPDATES = { point: "submitted ahead", at: KILL_STEP };

/** How a run samples and saves. */
interface Variant {
  readonly stepsAhead: number;
  readonly saveEvery: number;
  readonly refill?: boolean;
  /** True for a run that imitates examples. */
  readonly isSupervised?: boolean;
  /** How tasks are selected; absent = in order. */
  readonly curriculum?: "pools" | "signal";
  /** True for a run with a teacher in each environment. */
  readonly isTaught?: boolean;
}

/** The point at which a run is killed, and its step. */
interface Kill {
  readonly point: string;
  readonly at: number;
}

const VARIANTS: readonly Variant[] = [
  { stepsAhead: 0, saveEvery: 1 },
  { stepsAhead: 1, saveEvery: 3 },
  { stepsAhead: 2, saveEvery: 1, refill: true },
  { stepsAhead: 3, saveEvery: 1 },
  { stepsAhead: 0, saveEvery: 1, isSupervised: true },
  { stepsAhead: 0, saveEvery: 3, isSupervised: true },
  { stepsAhead: 2, saveEvery: 1, isTaught: true },
  { stepsAhead: 2, saveEvery: 1, curriculum: "signal" },
  { stepsAhead: 2, saveEvery: 1, curriculum: "pools" },
];

function config(variant: Variant): string {
  return variant.isSupervised === true ? supervisedConfig(variant) : rolloutConfig(variant);
}

/** Several turns per conversation, one conversation held out. */
function examples(): string {
  const lines = Array.from({ length: 9 }, (_, i) =>
    JSON.stringify({
      messages: [
        { role: "user", content: `What is ${i} plus 2?` },
        { role: "assistant", content: `It is ${i + 2}.` },
        { role: "user", content: "And one more?" },
        { role: "assistant", content: `Then it is ${i + 3}.` },
      ],
    }),
  );
  return `${lines.join("\n")}\n`;
}

function supervisedConfig({ saveEvery }: Variant): string {
  return `
model_name: local/tiny-tool
run_name: run
method: sft
data: [{ path: examples.jsonl }]
held_out: 0.1
held_out_every: 2
batch_size: 3
max_steps: ${STEPS}
save_every: ${saveEvery}
rolling_save_every: 0
evaluation: { splits: { local/calculator: [test], local/depot: [test] }, every: 2, num_samples: 1, temperatures: [1] }
`;
}

function rolloutConfig(variant: Variant): string {
  const { stepsAhead, saveEvery, refill = false, isTaught = false, curriculum = "none" } = variant;
  const taught = (settings: string): string =>
    isTaught ? `, teacher: { model: local/tiny-tool, ${settings} }` : "";
  return `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: { num_samples: 2 } }, num_rollouts: 3, nonterminal_reward: 0, weight: 3${taught('rewards: false, context: "Work the numbers out before you answer."')} }
  local/depot: { splits: { train: { num_samples: 1 } }, num_rollouts: 3, nonterminal_reward: 0, weight: 2${taught("coef: 0.5, discount: 0.9")} }
mix: weighted
curriculum: ${curriculum}
batch_size: 5
max_steps_off_policy: ${stepsAhead}
refill: ${refill}
max_refill_batches: 2
max_steps: ${STEPS}
save_every: ${saveEvery}
rolling_save_every: 0
evaluation: { splits: { local/calculator: [test], local/depot: [test] }, every: 2, num_samples: 1, temperatures: [1] }
`;
}

/** Specific to the attempt that played a rollout, or to the time. */
const OF_ITS_TIME = new Set(["startedAtMs", "durationMs", "samplingMs", "beginning", "timeMs"]);

interface Outcome {
  readonly metrics: readonly unknown[];
  readonly tokens: readonly string[];
  /** The rollouts of each training step. */
  readonly rollouts: readonly (readonly string[])[];
  readonly results: readonly unknown[];
  /** Rollouts of each evaluation. */
  readonly evaluated: readonly (readonly string[])[];
  readonly requests: readonly string[];
}

/** True if it was killed. */
async function killedTrainer(folder: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [KILLED_TRAINER, ...args, join(folder, "requests.jsonl")], {
    env: { ...process.env, TINKER_RL_STORE: join(folder, "checkpoints") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [status, signal] = await once(child, "close");
  const killed = signal === "SIGKILL";
  if (!killed && status !== 0) throw new Error(`the trainer failed: ${errors}`);
  return killed;
}

/** Trains, is killed at the point, and is resumed if it was; null if the point was never reached. */
async function killAt(variant: Variant, point: string, killStep: number): Promise<Outcome | null> {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-resilience-"));
  const configPath = join(folder, "config.yaml");
  writeFileSync(configPath, config(variant));
  writeFileSync(join(folder, "examples.jsonl"), examples());
  const run = join(folder, ".tinker-rl", "runs", "run");
  const killed = await killedTrainer(folder, ["train", configPath, point, String(killStep)]);
  if (point !== "none" && !killed) return null;
  if (killed) await killedTrainer(folder, ["resume", run, "none", "0"]);
  return outcome(folder, run);
}

function outcome(folder: string, run: string): Outcome {
  const steps = Array.from({ length: STEPS }, (_, step) => join(run, "rollouts", stem(step)));
  const evaluations = EVALUATED.map((step) => join(run, "eval", stem(step)));
  const tokens = steps.map((file) => {
    const path = `${file}.tokens.bin`;
    return existsSync(path) ? readFileSync(path).toString("base64") : "";
  });
  return {
    tokens,
    metrics: lines(join(run, "metrics.jsonl")).map(comparableRow),
    rollouts: steps.map((file) => inAnyOrder(lines(`${file}.jsonl`))),
    results: withoutKeys(lines(join(run, "eval", "results.jsonl")), OF_ITS_TIME),
    evaluated: evaluations.map((file) => inAnyOrder(withTokens(file))),
    requests: lastOfEachStep(lines(join(folder, "requests.jsonl"))),
  };
}

function stem(step: number): string {
  return `step-00000${step}`;
}

/**
 * The rollouts of an evaluation with their tokens instead of offsets: a kill between tokens and the line of their rollout
 * leaves bytes that no rollout refers to.
 */
function withTokens(file: string): readonly unknown[] {
  const bytes = readFileSync(`${file}.tokens.bin`);
  const rollouts = lines(`${file}.jsonl`) as readonly Pick<EvaluatedRollout, "tokenData">[]; // as the program writes them
  return rollouts.map(({ tokenData, ...record }) => ({
    ...record,
    tokens: tokenData.map(({ offset, length }) =>
      bytes.subarray(offset, offset + length).toString("base64"),
    ),
  }));
}

/** Rollouts are written in the order in which they end. */
function inAnyOrder(records: readonly unknown[]): readonly string[] {
  return withoutKeys(records, OF_ITS_TIME)
    .map((record) => JSON.stringify(record, sortedKeys))
    .sort();
}

function lines(path: string): readonly unknown[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

/**
 * The samples and updates of all steps, deduplicated and sorted: a repeat must send the same request, so these equal those of
 * an undisturbed run. Saves and samplers are created again after a resume and are left out.
 */
function lastOfEachStep(requests: readonly unknown[]): readonly string[] {
  const kept = requests
    .map((request) => JSON.stringify(request))
    .filter((line) => /"kind":"(sample|forward_backward|optim_step)"/.test(line));
  return [...new Set(kept)].sort();
}

/** Describes the difference, or null. */
function difference(result: Outcome | null, whole: Outcome | null): string | null {
  if (result === null || whole === null) return "never came";
  const undisturbed = new Map<string, unknown>(Object.entries(whole));
  const parts = Object.entries(result).flatMap(([part, value]) =>
    isDeepStrictEqual(value, undisturbed.get(part)) ? [] : [part],
  );
  return parts.length === 0 ? null : `DIFFERENT ${parts.join(", ")}`;
}

/** The kill points for a run of the variant. */
function killsOf(variant: Variant): readonly Kill[] {
  const { stepsAhead, saveEvery, refill = false, isSupervised = false } = variant;
  // With a save every third step the first save comes after step 3, so the kill comes a step later.
  const killStep = saveEvery === 3 ? STEPS - 1 : KILL_STEP;
  // Nothing is sampled ahead of the last evaluation in any variant, so one variant covers it.
  const evaluatedAt = stepsAhead < 2 ? [KILL_STEP, STEPS] : [KILL_STEP];
  // Runs that sample 1 and 3 steps ahead differ only in the length of their queue, so they share the points.
  const points = STEP_POINTS.filter(
    (_, index) => stepsAhead % 2 === 0 || index % 2 === (stepsAhead === 1 ? 0 : 1),
  );
  const reached = isSupervised ? points.filter((point) => !/rollouts|sampler/.test(point)) : points;
  // With refill the next update waits: it may lack groups, which are sampled with the weights after this one.
  const hasTwoUpdates = isSupervised ? saveEvery === 3 : stepsAhead > 0 && !refill;
  return [
    ...reached.map((point) => ({ point, at: killStep })),
    ...(stepsAhead === 0 ? [] : AHEAD_POINTS),
    ...(hasTwoUpdates ? [{ point: TWO_UPDATES.point, at: isSupervised ? 0 : TWO_UPDATES.at }] : []),
    ...EVALUATION_POINTS.flatMap((point) => evaluatedAt.map((at) => ({ point, at }))),
  ];
}

/** The training method: rewards by default. */
function methodOf({ isSupervised = false, isTaught = false, curriculum }: Variant): string {
  if (isSupervised) return "sft";
  if (isTaught) return "teachers";
  return curriculum === undefined ? "" : "curriculum";
}

/** Each point with one of the variants that reach it, alternating. */
function onceEach(
  kills: readonly (readonly [Variant, Kill])[],
): readonly (readonly [Variant, Kill])[] {
  const points = [...new Set(kills.map(([, { point }]) => point))];
  return points.flatMap((point, index) => {
    const able = kills.filter(([, kill]) => kill.point === point);
    return able.slice(index % able.length).slice(0, 1);
  });
}

const { values } = parseArgs({ options: { once: { type: "boolean", default: false } } });
const trainers = new Limiter(AT_ONCE);
const all = VARIANTS.flatMap((variant) => killsOf(variant).map((kill) => [variant, kill] as const));
const byRewards = groupBy(all, ([variant]) => methodOf(variant) === "");
const chosen = values.once ? [...byRewards.values()].flatMap(onceEach) : all;
let passed = 0;
let failed = 0;
for (const variant of VARIANTS) {
  const { stepsAhead, saveEvery, refill = false, curriculum } = variant;
  const method = `${methodOf(variant)} ${curriculum ?? ""}`.trim();
  const whole = await killAt(variant, "none", 0);
  const tryOne = async ({ point, at }: Kill): Promise<void> => {
    const fault = difference(await killAt(variant, point, at), whole);
    if (fault === null) passed += 1;
    else failed += 1;
    console.log(
      `${method.padEnd(18)} ${stepsAhead} ahead, save_every ${saveEvery}${refill ? ", refill" : ""}  ${`${point} (${at})`.padEnd(36)} ${fault ?? "equal"}`,
    );
  };
  const kills = chosen.flatMap(([of, kill]) => (of === variant ? [kill] : []));
  await Promise.all(kills.map((kill) => trainers.run(() => tryOne(kill))));
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
