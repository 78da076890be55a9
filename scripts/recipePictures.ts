/**
 * Draws the curves in `docs/recipes.md` from runs of its recipes.
 * `node scripts/run.mjs scripts/recipePictures.ts RECIPES BENCH`: the folder in which the page's files were trained, and the folder
 * of `npm run bench:zero -- --keep BENCH`.
 */

import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeRun } from "../src/core/outputs/runOutput.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { shownX } from "../src/shared/chartScale.ts";
import { chartsSvg, type SvgLine } from "../src/shared/chartsSvg.ts";
import { formatCount } from "../src/shared/format.ts";
import { formatTick } from "../src/shared/formatTick.ts";
import { withoutUndefined } from "../src/shared/withoutUndefined.ts";

interface Point {
  /** Completed steps, or tokens sampled for training. */
  readonly x: number;
  readonly reward: number;
  readonly low: number | null;
  readonly high: number | null;
}

interface Curve {
  readonly label: string;
  readonly look: Pick<SvgLine, "color" | "dash">;
  readonly points: readonly Point[];
}

interface Picture {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly hasIntervals: boolean;
}

const PICTURES = "media/pictures";
/** As wide as on the page, so that text keeps its size. */
const SIZE = { width: 840, height: 300 };
/** With their own background, which is readable on light and dark pages. */
const COLORS = {
  text: "#1f2328",
  quiet: "#59636e",
  back: "#ffffff",
  font: "system-ui, sans-serif",
};
const LINES = ["#0969da", "#bc4c00", "#1a7f37"];
/** One per seed. */
const DASHES = [undefined, [6, 3], [2, 3]];
const BY_TOKENS = "Reward on 128 other tasks at temperature 1, by sampled tokens";
const BY_STEPS = "Reward on 128 other tasks, by steps";
const SEEDS = [1, 2, 3];

const [recipes, bench] = process.argv.slice(2);
if (recipes === undefined || bench === undefined) {
  throw new Error("usage: node scripts/run.mjs scripts/recipePictures.ts RECIPES BENCH");
}

const fileSystem = createFileSystem();

/** Rewards of the run's own weights, evaluated at a temperature. */
async function readPoints(
  folder: string,
  temperature: number,
  by: "steps" | "tokens",
): Promise<readonly Point[]> {
  const files = fileSystem.within(folder);
  const { evaluations, steps } = await describeRun(files, { folder, run: null, nowMs: Date.now() });
  const sampledBefore = (completed: number): number =>
    steps.reduce(
      (sum, { step, metrics }) =>
        step <= completed ? sum + Number(metrics["tokens/sampled"] ?? 0) : sum,
      0,
    );
  return evaluations.flatMap(({ step, results }) => {
    const result = results.find((each) => each.temperature === temperature);
    if (typeof result?.rewardMean !== "number") return [];
    const { rewardMean, low, high } = result;
    return [{ x: by === "steps" ? step : sampledBefore(step), reward: rewardMean, low, high }];
  });
}

/** Consecutive runs of the page, greedy and at training temperature. */
async function byTemperature(names: readonly string[]): Promise<readonly Curve[]> {
  const curves = [];
  for (const [index, temperature] of [0, 1].entries()) {
    const points: Point[] = [];
    for (const name of names) {
      const folder = resolve(recipes ?? "", ".tinker-rl/runs", name);
      const before = points.at(-1)?.x ?? 0;
      const own = await readPoints(folder, temperature, "steps");
      // A run starts with the weights with which the previous one was last evaluated.
      const kept = before === 0 ? own : own.filter(({ x }) => x > 0);
      points.push(...kept.map((point) => ({ ...point, x: point.x + before })));
    }
    const label = temperature === 0 ? "greedy" : "temperature 1";
    curves.push({ label, look: { color: LINES[index] ?? "" }, points });
  }
  return curves;
}

/** Benchmark runs by name, one line per seed. */
async function bySeed(part: string, runs: Readonly<Record<string, string>>) {
  const curves: Curve[] = [];
  for (const [index, [name, label]] of Object.entries(runs).entries()) {
    for (const [nth, seed] of SEEDS.entries()) {
      const folder = resolve(bench ?? "", `${part}-${seed}`, ".tinker-rl/runs", name);
      curves.push({
        label: `${label}, seed ${seed}`,
        look: { color: LINES[index] ?? "", dash: DASHES[nth] },
        points: await readPoints(folder, 1, "tokens"),
      });
    }
  }
  return curves;
}

function draw({ title, curves, hasIntervals }: Picture): string {
  const xs = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
    (a, b) => a - b,
  );
  const lines = curves.map(({ label, look, points }): SvgLine => {
    const at = (value: "low" | "high"): readonly number[] =>
      xs.map((x) => points.find((point) => point.x === x)?.[value] ?? Number.NaN);
    return {
      ...look,
      label,
      values: xs.map((x) => rewardAt(points, x)),
      ...withoutUndefined({
        intervals: hasIntervals ? { low: at("low"), high: at("high") } : undefined,
      }),
    };
  });
  const chart = {
    title,
    xs,
    lines,
    bands: [],
    xRange: shownX(Float64Array.from(xs)),
    yRange: [0, 1] as const,
    isLog: false,
    formatX: formatCount,
    formatY: formatTick,
    isWide: true,
    height: SIZE.height,
  };
  return chartsSvg([chart], COLORS, SIZE.width);
}

/** Linear interpolation between two points, since all lines of a chart share their x values; NaN outside. */
function rewardAt(points: readonly Point[], x: number): number {
  const after = points.findIndex((point) => point.x >= x);
  const [from, to] = [points[Math.max(0, after - 1)], points[after]];
  if (from === undefined || to === undefined) return Number.NaN;
  if (to.x === x) return to.reward;
  if (from.x > x) return Number.NaN;
  return from.reward + ((to.reward - from.reward) * (x - from.x)) / (to.x - from.x);
}

const ALONE = "reinforcement learning alone";
const pictures: Readonly<Record<string, Picture>> = {
  "recipe-best-rollouts": {
    title: BY_STEPS,
    curves: await byTemperature(["sft"]),
    hasIntervals: true,
  },
  "recipe-stages": {
    title: `${BY_STEPS}: 40 of imitate, then reinforce`,
    curves: await byTemperature(["stages-stages.imitate", "stages-stages.reinforce"]),
    hasIntervals: true,
  },
  "recipe-conversations": {
    title: BY_TOKENS,
    curves: await bySeed("sft", { rl: ALONE, after: "after 200 games" }),
    hasIntervals: false,
  },
  "recipe-teacher": {
    title: BY_TOKENS,
    curves: await bySeed("teacher", { rl: ALONE, student: "with a teacher" }),
    hasIntervals: false,
  },
  "recipe-curriculum": {
    title: BY_TOKENS,
    curves: await bySeed("curriculum", { none: "none", pools: "pools", signal: "signal" }),
    hasIntervals: false,
  },
  "recipe-credit": {
    title: BY_TOKENS,
    curves: await bySeed("credit", { trajectory: "trajectory", reward_to_go: "reward_to_go" }),
    hasIntervals: false,
  },
};
for (const [name, picture] of Object.entries(pictures)) {
  await writeFile(join(PICTURES, `${name}.svg`), draw(picture));
}
