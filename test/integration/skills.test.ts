/** Runs the commands of the skills that need no key and no keyboard input. */

import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { codes, SKILLS, withNames } from "../skills.ts";
import { runProgram } from "./trainProgram.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator:
    splits: { train: { num_samples: 64 } }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
max_steps: 2
evaluation:
  splits: { local/calculator: [test] }
  num_samples: 8
`;
/** For a run in progress. */
const STEERING = "control";

const folder = folderOfAllTests();
let names: Readonly<Record<string, string>>;
const variables = () => ({ TINKER_RL_STORE: join(folder, "checkpoints") });

beforeAll(async () => {
  const config = join(folder, "tinker-config.yaml");
  await writeFile(config, CONFIG);
  await runProgram(["train", "-c", config], variables());
  const runs = join(folder, ".tinker-rl", "runs");
  await cp(join(runs, "tinker-config"), join(runs, "other"), { recursive: true });
  names = {
    FILE: config,
    NAME: "local/calculator",
    RUN: join(runs, "tinker-config"),
    OTHER_RUN: join(runs, "other"),
  };
});

it("names metrics that a run has", async () => {
  const { stdout } = await runProgram(["show", names["RUN"] ?? "", "--json"], variables());
  const { steps } = JSON.parse(stdout);
  const metric = /^(num_[a-z_]+|[a-z]+(\/[a-z0-9_]+)+)$/;
  const named = SKILLS.flatMap(({ text }) => codes(text)).filter((code) => metric.test(code));
  const others = new Set(["local/dataset", "environments/letters"]);
  const metrics = new Set([...named].filter((name) => !others.has(name)));
  expect(metrics.size).toBeGreaterThan(5);
  expect(Object.keys(steps[0].metrics)).toEqual(expect.arrayContaining([...metrics]));
});

/** Several skills name the same commands. */
const COMMANDS = new Set(
  SKILLS.flatMap(({ commands }) => commands)
    .filter(([command]) => command !== STEERING)
    .map((words) => words.join(" ")),
);

it.each([...COMMANDS])("tinker-rl %s", async (text) => {
  const words = withNames(text.split(" "), names);
  const place = words[0] === "runs" ? [folder] : [];
  const isNew = words[0] === "env" && words[1] === "new";
  const here = isNew ? ["-c", join(folder, "letters.yaml")] : [];
  const ended = await runProgram([...words, ...place, ...here], variables());
  expect([ended.stderr, ended.code]).toEqual([expect.anything(), 0]);
  expect(ended.stdout).not.toBe("");
});
