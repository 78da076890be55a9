/**
 * Measures ways to escape low reward on the embedded model, each over several seeds, compared to reinforcement learning alone: first
 * imitating 200 scripted games, a trained teacher, a curriculum over tasks of which half are unsolvable and a fifth are solved, and
 * per-turn credit where an environment gives rewards along the way. The measure is the number of sampled tokens until an evaluation on
 * other tasks reaches a level. Run: `npm run bench:zero`, about 20 minutes. Arguments: parts (`sft`, `teacher`, `curriculum`, `credit`);
 * `--seeds 3`; `--keep FOLDER` keeps the runs there, for `scripts/recipePictures.ts`.
 */

import { setMaxListeners } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isJsonObject } from "../src/core/json.ts";
import { flattenMetrics, type MetricsRow } from "../src/core/runFolder/metrics/metricsTree.ts";
import { inBenchFolder, trainIn } from "./benchFolder.ts";
import { median } from "./measure.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "3" }, keep: { type: "string" } },
});
const seeds = Array.from({ length: Number(options.seeds) }, (_, i) => i + 1);

/** An evaluation during a run: tokens and steps so far, and the mean reward. */
interface Measured {
  readonly sampled: number;
  readonly steps: number;
  readonly reward: number;
}

interface Curve {
  readonly points: readonly Measured[];
}

/** Trains and reads the results from the run folder. */
async function train(folder: string, name: string, config: string): Promise<Curve> {
  await trainIn(folder, name, `model_name: local/tiny-tool\nrun_name: ${name}\n${config}`);
  const path = join(folder, ".tinker-rl", "runs", name);
  const text = await readFile(join(path, "metrics.jsonl"), "utf8");
  const rows = text.split("\n").flatMap((line) => (line === "" ? [] : [rowOf(line)]));
  let sampled = 0;
  const points: Measured[] = [];
  for (const [steps, row] of rows.entries()) {
    const flat = flattenMetrics(row);
    // An evaluation is in the row of the following step.
    const [, reward] =
      Object.entries(flat).find(([key]) => /^eval\/.*\/temperature_1\/reward_mean$/.test(key)) ??
      [];
    if (typeof reward === "number") points.push({ sampled, steps, reward });
    sampled += Number(flat["tokens/sampled"] ?? 0);
  }
  return { points };
}

function rowOf(line: string): MetricsRow {
  const row: unknown = JSON.parse(line);
  if (!isJsonObject(row)) throw new Error("A line of metrics is no object.");
  return row as MetricsRow; // as the program writes it
}

/** Tokens sampled until the reward reached a level; Infinity if it never did. */
function tokensTo({ points }: Curve, level: number): number {
  return points.find(({ reward }) => reward >= level)?.sampled ?? Number.POSITIVE_INFINITY;
}

function stepsTo({ points }: Curve, level: number): number {
  return points.find(({ reward }) => reward >= level)?.steps ?? Number.POSITIVE_INFINITY;
}

function last({ points }: Curve): number {
  return points.at(-1)?.reward ?? Number.NaN;
}

async function inFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  if (options.keep === undefined) return inBenchFolder(work);
  const folder = resolve(options.keep, name);
  await mkdir(folder, { recursive: true });
  return work(folder);
}

const calculator = (rollouts: number, more = "") => `
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: ${rollouts}, nonterminal_reward: 0, max_turns: 6${more} }
batch_size: 8
save_every: 0
`;
const evaluation = (every: number, environment = "local/calculator") => `
evaluation: { splits: { ${environment}: [test] }, num_samples: 128, temperatures: [1], every: ${every} }
`;

/** Calculator games as a scripted program would play them. */
function scriptedGames(count: number): string {
  const tool = (name: string, parameter: string) => ({
    type: "function",
    function: {
      name,
      parameters: { type: "object", properties: { [parameter]: { type: "string" } } },
    },
  });
  const call = (id: string, name: string, args: object) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  });
  const tools = [tool("calc", "expr"), tool("answer", "value")];
  const lines = Array.from({ length: count }, (_, i) => {
    const [a, b] = [2 + ((37 * i) % 98), 2 + ((61 * i) % 98)];
    const [sign, value] = [
      ["+", a + b],
      ["-", a - b],
      ["*", a * b],
    ][i % 3] as [string, number];
    const expr = `${a}${sign}${b}`;
    const messages = [
      { role: "user", content: `What is ${expr}?` },
      call("c1", "calc", { expr }),
      { role: "tool", tool_call_id: "c1", content: String(value) },
      call("c2", "answer", { value: String(value) }),
    ];
    return JSON.stringify({ messages, tools });
  });
  return `${lines.join("\n")}\n`;
}

const LEVEL = 0.8;

async function sft(): Promise<void> {
  const results = [];
  for (const seed of seeds) {
    results.push(
      await inFolder(`sft-${seed}`, async (folder) => {
        await writeFile(join(folder, "games.jsonl"), scriptedGames(200));
        const alone = `seed: ${seed}\n${calculator(8)}${evaluation(4)}max_steps: 48\n`;
        const rl = await train(folder, "rl", alone);
        const demos = `seed: ${seed}\nmethod: sft\ndata: [{ path: games.jsonl }]\nbatch_size: 16\nlearning_rate: 0.002\nmax_steps: 15\nsave_every: 0\n`;
        await train(folder, "games", demos);
        const init = "init_from: .tinker-rl/runs/games\n";
        const config = `seed: ${seed}\n${calculator(8)}${evaluation(2)}${init}max_steps: 12\n`;
        const after = await train(folder, "after", config);
        return {
          seed,
          rl: tokensTo(rl, LEVEL),
          after: tokensTo(after, LEVEL),
          from: after.points[0],
          ends: [last(rl), last(after)],
        };
      }),
    );
  }
  console.log(`\nSampled tokens until ${LEVEL} of 128 other tasks`);
  for (const { seed, rl, after, from, ends } of results) {
    console.log(
      `  seed ${seed}  rl ${shown(rl)}  200 games, then rl ${shown(after)}  (begins at ${from?.reward.toFixed(2)}; ends at ${ends.map((end) => end.toFixed(2)).join(" and ")})`,
    );
  }
  ratio(
    "  games then rl, of rl alone",
    results.map(({ rl, after }) => after / rl),
  );
}

async function teacher(): Promise<void> {
  const results = [];
  for (const seed of seeds) {
    results.push(
      await inFolder(`teacher-${seed}`, async (folder) => {
        const rl = await train(
          folder,
          "rl",
          `seed: ${seed}\n${calculator(8)}${evaluation(4)}max_steps: 48\n`,
        );
        const level = 0.9 * last(rl);
        const taught =
          "teacher: { checkpoint: .tinker-rl/runs/rl, rewards: false }\nlearning_rate: 0.003\n";
        const student = `seed: ${seed + 100}\n${calculator(2)}${evaluation(2)}${taught}max_steps: 40\n`;
        const distilled = await train(folder, "student", student);
        return {
          seed,
          level,
          rl: tokensTo(rl, level),
          student: tokensTo(distilled, level),
          end: last(distilled),
        };
      }),
    );
  }
  console.log("\nSampled tokens until 0.9 of the teacher");
  for (const { seed, level, rl, student, end } of results) {
    console.log(
      `  seed ${seed}  level ${level.toFixed(2)}  rl ${shown(rl)}  student ${shown(student)}  (ends at ${end.toFixed(2)})`,
    );
  }
  ratio(
    "  student, of rl",
    results.map(({ rl, student }) => student / rl),
  );
}

/** Unsolvable riddles, and questions with any answer correct. */
async function writePool(folder: string): Promise<void> {
  const rows = (count: number, answerOf: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => {
      const question = `What is ${2 + ((37 * i) % 97)}+${2 + ((61 * i) % 89)}?`;
      return `${JSON.stringify({ question, answer: answerOf(i), split: "train" })}\n`;
    }).join("");
  await writeFile(
    join(folder, "riddles.jsonl"),
    rows(400, (i) => `zq${i}zq`),
  );
  await writeFile(
    join(folder, "gifts.jsonl"),
    rows(160, () => ".*"),
  );
}

/** 800 tasks: half are unsolvable and a fifth are solved. */
const POOL = `
environments:
  local/calculator: { splits: { train: { num_samples: 240 } }, num_rollouts: 8, nonterminal_reward: 0, max_turns: 6 }
  local/dataset:riddles: { tasks: riddles.jsonl, splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0, max_turns: 2 }
  local/dataset:gifts: { tasks: gifts.jsonl, grader: { type: regex }, splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0, max_turns: 2 }
batch_size: 8
save_every: 0
`;

async function curriculum(): Promise<void> {
  const kinds = ["none", "pools", "signal"] as const;
  const curves: Curve[][] = [];
  for (const seed of seeds) {
    curves.push(
      await inFolder(`curriculum-${seed}`, async (folder) => {
        await writePool(folder);
        const own: Curve[] = [];
        for (const kind of kinds) {
          const config = `seed: ${seed}\n${POOL}${evaluation(4)}curriculum: ${kind}\nmax_steps: 90\n`;
          own.push(await train(folder, kind, config));
        }
        return own;
      }),
    );
  }
  console.log("\nSampled tokens until 0.8 of the best reward on the tasks that can be learned");
  const ratios: number[][] = [[], []];
  for (const [i, own] of curves.entries()) {
    const best = Math.max(...own.flatMap(({ points }) => points.map(({ reward }) => reward)));
    const tokens = own.map((curve) => tokensTo(curve, 0.8 * best));
    const texts = kinds.map(
      (kind, k) =>
        `${kind} ${shown(tokens[k] ?? Number.NaN)} in ${stepsTo(own[k] as Curve, 0.8 * best)} steps (${last(own[k] as Curve).toFixed(2)})`,
    );
    console.log(`  seed ${seeds[i]}  best ${best.toFixed(2)}  ${texts.join("  ")}`);
    for (const k of [1, 2])
      ratios[k - 1]?.push((tokens[k] ?? Number.NaN) / (tokens[0] ?? Number.NaN));
  }
  ratio("  pools, of none", ratios[0] ?? []);
  ratio("  signal, of none", ratios[1] ?? []);
}

async function credit(): Promise<void> {
  console.log("\nSampled tokens until 0.8 of 128 other tasks of the depot");
  const ratios: number[] = [];
  for (const seed of seeds) {
    const tokens = await inFolder(`credit-${seed}`, async (folder) => {
      const own: number[] = [];
      for (const kind of ["trajectory", "reward_to_go"]) {
        const config = `seed: ${seed}\nenvironments:\n  local/depot: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0 }\nbatch_size: 8\nsave_every: 0\ncredit: ${kind}\nmax_steps: 40\n${evaluation(2, "local/depot")}`;
        own.push(tokensTo(await train(folder, kind, config), LEVEL));
      }
      return own;
    });
    const [whole = Number.NaN, byTurn = Number.NaN] = tokens;
    console.log(`  seed ${seed}  trajectory ${shown(whole)}  reward_to_go ${shown(byTurn)}`);
    ratios.push(byTurn / whole);
  }
  ratio("  reward_to_go, of trajectory", ratios);
}

function shown(tokens: number): string {
  return Number.isFinite(tokens) ? tokens.toLocaleString("en") : "never";
}

function ratio(name: string, ratios: readonly number[]): void {
  console.log(
    `${name}: ${median(ratios).toFixed(2)} (${ratios.map((one) => one.toFixed(2)).join(", ")})`,
  );
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = { sft, teacher, curriculum, credit };

setMaxListeners(0);
for (const [name, measure] of Object.entries(PARTS)) {
  if (positionals.length === 0 || positionals.includes(name)) await measure();
}
process.exit(0);
