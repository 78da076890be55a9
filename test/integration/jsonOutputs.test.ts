/** Machine-readable output of the program, checked against the schemas in docs/json. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { OUTPUTS } from "../../src/core/outputs/outputs.ts";
import { runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const SECRET = "tml-json-5e1f0a9b7c3d2846";
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 2
max_steps: 2
save_every: 1
evaluation: { splits: { local/calculator: [test] }, num_samples: 2, at_start: false }
`;

let project: string;
let run: string;
const seen = new Set<string>();

async function program(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(args, { TINKER_API_KEY: SECRET });
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Expects one line that fits the committed schema of its format. */
async function json(...args: readonly string[]) {
  const text = await program(...args, "--json");
  expect(text).toMatch(/^[ -~]+\n$/);
  expect(text).not.toContain(SECRET);
  const value: unknown = JSON.parse(text);
  const { format } = z.object({ format: z.string() }).parse(value);
  const name = format.replace(/^tinker-rl\.|\/\d+$/g, "");
  seen.add(name);
  const schema: unknown = JSON.parse(readFileSync(`docs/json/${name}.schema.json`, "utf8"));
  // Both sides are plain JSON; the declared type of the parameter is narrower than a draft-07 document.
  const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  expect(checked.safeParse(value).error, name).toBeUndefined();
  return z.record(z.string(), z.unknown()).parse(value);
}

beforeAll(async () => {
  project = await runFolderWith(CONFIG);
  run = join(project, ".tinker-rl", "runs", "run");
  await program("train", join(project, "config.yaml"));
});

it("each output of a real run fits its schema", async () => {
  expect(await json("validate", join(project, "config.yaml"))).toMatchObject({ isValid: true });
  expect(await json("runs", project)).toMatchObject({
    runs: [{ name: "run", phase: "done", steps: 2, totalSteps: 2, folder: run }],
  });
  const shown = await json("show", run);
  expect(shown).toMatchObject({
    model: "local/tiny-tool",
    omittedSteps: 0,
    evaluations: [{ step: 2 }],
    steps: [{ step: 1, metrics: { "group/size/mean": 4 } }, { step: 2 }],
  });
  expect(await json("show", run, "--eval")).toMatchObject({ evaluations: shown["evaluations"] });
  expect(await json("estimate", join(project, "config.yaml"))).toMatchObject({
    steps: 2,
    restsOn: { run, steps: 2, groups: 4, rollouts: 16 },
    prices: null,
  });
  const grid = ["--grid", "learning_rate=0.01,0.02", "--show"];
  expect(await json("sweep", join(project, "config.yaml"), ...grid)).toMatchObject({
    runs: [{ settings: { learning_rate: "0.01" }, state: "not-started" }, {}],
  });
  await json("checkpoints", "list", "--local");
  const listed = z
    .object({ checkpoints: z.array(z.object({ statePath: z.string() })).min(1) })
    .parse(await json("checkpoints", "list", run));
  const path = listed.checkpoints[0]?.statePath ?? "";
  expect(await json("checkpoints", "info", path, "--local")).toMatchObject({
    path,
    baseModel: "local/tiny-tool",
    place: "this computer",
  });
  const output = join(project, "weights");
  expect(await json("checkpoints", "download", path, "--output", output)).toMatchObject({
    files: [{ name: "adapter_config.json" }, {}, { name: "README.md" }],
  });
  expect(await json("env", "check", "local/calculator", "--tasks", "4")).toMatchObject({
    environments: [{ environment: "local/calculator", defects: 0 }],
  });
});

it("numbers rollouts as the screen does, and includes tokens on request", async () => {
  const list = await json("show", run, "--step", "2");
  expect(list).toMatchObject({ source: "training", step: 2, omission: null });
  expect(list["rollouts"]).toHaveLength(8);
  expect(await json("show", run, "--eval", "--step", "2")).toMatchObject({ source: "evaluation" });
  await json("show", run, "--eval", "--step", "2", "--rollout", "1");
  expect((await json("show", run, "--step", "1", "--group", "2"))["trajectories"]).toHaveLength(4);
  const one = await json(
    ...["show", run, "--step", "1", "--group", "2", "--rollout", "3", "--tokens"],
  );
  expect(one).toMatchObject({ trajectories: [{ group: 2, rollout: 3 }] });
});

it("every format is covered", () => {
  // Formats with several lines, of a run in progress, or from a service are covered by the tests of their commands in test/cli.
  const others = ["found", "chat-turn", "chat-answers", "status", "models"];
  expect([...seen, ...others].sort()).toEqual(OUTPUTS.map(({ name }) => name).toSorted());
});
