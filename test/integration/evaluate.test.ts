/** `tinker-rl evaluate` on the embedded services: results checked by hand, repeated, and after a kill. */

import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { killedWhen } from "./comparedRuns.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const CONFIG = `
model_name: local/tiny-tool
lora_rank: 4
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
    max_turns: 4
    success_reward: 0.5
batch_size: 4
max_steps: 2
num_epochs: null
save_every: 1
seed: 3
learning_rate: 0.02
evaluation:
  splits: { local/calculator: [test] }
  at_start: false
  at_end: false
  num_samples: 8
  rollouts_per_task: 4
  temperatures: [0.9]
`;

interface Result {
  readonly rewardMean: number;
  readonly passAtK: readonly { readonly k: number; readonly mean: number }[];
  readonly difference: { readonly mean: number; readonly tasks: number } | null;
}

interface Answer {
  readonly folder: string;
  readonly evaluations: readonly {
    readonly model: { readonly name: string };
    readonly step: number;
    readonly results: readonly [Result];
  }[];
}

interface Played {
  readonly model: string;
  readonly index: number;
  readonly rollout: number;
  readonly reward: number | null;
}

let folder = "";
let words: readonly string[] = [];

beforeAll(async () => {
  folder = await runFolderWith(CONFIG);
  const trained = await runProgram(["train", join(folder, "config.yaml")], {});
  expect(trained.code, trained.stderr).toBe(0);
  const run = join(folder, ".tinker-rl", "runs", "config");
  words = ["evaluate", "base", `${run}@1`, run, "-c", join(folder, "config.yaml"), "--json"];
});

async function evaluated(more: readonly string[] = []): Promise<Answer> {
  const { code, stdout, stderr } = await runProgram([...words, ...more], {});
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Answer;
}

/** Names of the rollout files. */
async function playedFiles(place: string): Promise<readonly string[]> {
  return (await readdir(join(place, "eval"))).filter((name) => /^step-\d+\.jsonl$/.test(name));
}

async function playedIn(place: string): Promise<readonly Played[]> {
  const names = await playedFiles(place);
  const files = await Promise.all(names.map((name) => readLines(join(place, "eval", name))));
  return files.flat() as readonly Played[];
}

/** Rewards of the model by task. */
function byTask(played: readonly Played[], model: string): ReadonlyMap<number, readonly number[]> {
  const tasks = new Map<number, number[]>();
  for (const { index, reward, model: own } of played) {
    if (own === model) tasks.set(index, [...(tasks.get(index) ?? []), reward ?? 0]);
  }
  return tasks;
}

/** By enumerating every choice of k rollouts. */
function successShare(rewards: readonly number[], k: number): number {
  let choices = 0;
  let successes = 0;
  for (let chosen = 0; chosen < 2 ** rewards.length; chosen += 1) {
    const own = rewards.filter((_, i) => (chosen & (1 << i)) !== 0);
    if (own.length !== k) continue;
    choices += 1;
    if (own.some((reward) => reward >= 0.5)) successes += 1;
  }
  return successes / choices;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

it("matches hand-computed results for base, a step and the end, and repeats exactly", async () => {
  const first = await evaluated();
  expect(first.evaluations.map(({ model, step }) => [model.name, step])).toEqual([
    ["base", 0],
    ["step 1", 1],
    ["step 2", 2],
  ]);
  const played = await playedIn(first.folder);
  expect(played).toHaveLength(3 * 8 * 4);
  const base = byTask(played, "base");
  for (const {
    model: { name },
    results,
  } of first.evaluations) {
    const [result] = results;
    const tasks = byTask(played, name);
    const rewards = [...tasks.values()];
    expect(result.rewardMean).toBeCloseTo(meanOf(rewards.map(meanOf)), 9);
    expect(result.passAtK.map(({ k }) => k)).toEqual([1, 2, 4]);
    for (const { k, mean } of result.passAtK) {
      expect(mean).toBeCloseTo(meanOf(rewards.map((own) => successShare(own, k))), 9);
    }
    if (name === "base") expect(result.difference).toBeNull();
    else {
      const changes = [...tasks].map(([index, own]) => meanOf(own) - meanOf(base.get(index) ?? []));
      expect(result.difference?.tasks).toBe(8);
      expect(result.difference?.mean).toBeCloseTo(meanOf(changes), 9);
    }
  }
  expect(first.evaluations.at(-1)?.results[0].difference?.mean).not.toBe(0);
  // Untrained weights with the same seeds give the same numbers.
  const second = await evaluated();
  expect(second.folder).not.toBe(first.folder);
  expect(second.evaluations).toEqual(first.evaluations);
  const shown = await runProgram(["show", first.folder], {});
  expect(shown.stdout).toContain("pass@4");
  expect(shown.stdout).toMatch(/^step 2 /m);
});

it("resumes after a kill without replaying finished rollouts", async () => {
  const more = ["--seed", "4"];
  const whole = await evaluated(more);
  // Another name for the same plan, so that the finished evaluation is not reused.
  const named = [...more, "--run_name", "killed"];
  const place = join(folder, ".tinker-rl", "runs", "killed-evaluation");
  const isAmid = async () => (await playedIn(place).catch(() => [])).length >= 30;
  await killedWhen([...words, ...named], {}, isAmid);
  expect((await playedIn(place)).length).toBeLessThan(96);
  const [last = ""] = (await playedFiles(place)).slice(-1);
  await appendFile(join(place, "eval", last), '{"step":1,"half a li');
  const resumed = await evaluated(named);
  expect(resumed.folder).toBe(place);
  expect(resumed.evaluations).toEqual(whole.evaluations);
  const keys = (await playedIn(place)).map(
    ({ model, index, rollout }) => `${model} ${index} ${rollout}`,
  );
  expect(keys).toHaveLength(96);
  expect(new Set(keys).size).toBe(96);
  const text = await readFile(join(place, "run.json"), "utf8");
  expect(JSON.parse(text)).toMatchObject({ attempt: 2, phase: "done" });
});

it("starts no server of an environment that it does not evaluate", async () => {
  const rhyme = "{ server: { command: [no-python] }, splits: { train: {} }, num_rollouts: 4 }";
  const { evaluations } = await evaluated([`--environments.rhyme=${rhyme}`]);
  expect(evaluations).toHaveLength(3);
});
