/** Whole runs against external servers: `serve` behind gateways, and a server with SkyRL's gaps. */

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { isOfEnd, runIn } from "./controlledRun.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import { chained, type GappyServer, renaming, skyRlGaps } from "./tinkerServersGaps.ts";
import { deafToLoss, temperedLogprobs } from "./tinkerServersLosses.ts";
import { olderServer } from "./tinkerServersOlder.ts";
import { type Filter, type Gateway, startGateway } from "./tinkerServersProxy.ts";
import { type Ended, runProgram, type Serving, startServing } from "./trainProgram.ts";

const STEPS = 4;
/** Names beginning with `local/` are embedded, so gateways rename the served model to another name of the same length. */
const MODEL = "Org/Tiny-tool-1";
const rename = renaming("local/tiny-tool", MODEL);

const UNCHANGED: Filter = { request: (passing) => passing, answer: (answer) => answer };

const PREFIX = "/gateway/models";

let serving: Serving;
let environments: Gateway;
let models: Gateway;
/** The run behind the gateways, used as the reference for the others. */
let served: Trained;

beforeAll(async () => {
  const store = await runFolderWith("");
  serving = await startServing(join(store, "checkpoints"));
  environments = await startGateway({
    upstream: serving.environmentsUrl,
    prefix: "/gateway/environments",
  });
  models = await startGateway({ upstream: serving.tinkerUrl, prefix: PREFIX, filter: rename });
  served = await train(config(models.url));
});
afterAll(async () => {
  models?.close();
  environments?.close();
  await serving?.stop();
});

function config(tinkerUrl: string, more = ""): string {
  return `
model_name: ${MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
lora_rank: 8
run_name: run
environments:
  calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
  Acme/depot:
    splits: { train: { num_samples: 500 } }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 6
max_steps: ${STEPS}
learning_rate: 1e-3
max_response_tokens: 64
max_total_tokens: 256
save_every: 2
rolling_save_every: 1
evaluation:
  splits: { calculator: [test] }
  num_samples: 8
tinker_base_url: ${tinkerUrl}
openreward_base_url: ${environments.url}
${more}`;
}

interface Trained extends Ended {
  readonly folder: string;
}

const keys = () => ({ TINKER_API_KEY: serving.key, ORS_API_KEY: serving.key });

async function train(text: string, ...overrides: readonly string[]): Promise<Trained> {
  const folder = await runFolderWith(text);
  const args = ["train", "-c", join(folder, "config.yaml"), ...overrides];
  const ended = await runProgram(args, keys());
  return { ...ended, folder: runIn(folder) };
}

const rowSchema = z.looseObject({
  step: z.number(),
  loss: z.number().nullable(),
  skipped: z.boolean().optional(),
  num_rollouts: z.number(),
  tinker: z.record(z.string(), z.unknown()),
});
const chatTurnSchema = z.object({
  context: z.array(z.number()).min(1),
  tokens: z.array(z.number()).min(1),
  logprobs: z.array(z.number()).min(1),
});
const checkpointSchema = z.looseObject({
  step: z.number(),
  kind: z.string(),
  state_path: z.string(),
  sampler_path: z.string().nullable(),
});

async function records<Schema extends z.ZodType>(folder: string, file: string, schema: Schema) {
  const lines = await readLines(join(folder, file));
  return lines.filter((line) => !isOfEnd(line)).map((line) => schema.parse(line));
}

/** Every sampled token with its trained values, step by step. */
function tokens(folder: string): Promise<readonly string[]> {
  return Promise.all(
    Array.from({ length: STEPS }, async (_, step) => {
      const path = join(folder, "rollouts", `step-00000${step}.tokens.bin`);
      return (await readFile(path)).toString("base64");
    }),
  );
}

async function expectWholeRun(folder: string, evaluations: number): Promise<void> {
  const rows = await records(folder, "metrics.jsonl", rowSchema);
  expect(rows.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  const checkpoints = await records(folder, "checkpoints.jsonl", checkpointSchema);
  expect(checkpoints.map(({ step, kind }) => `${kind} ${step}`)).toEqual(
    expect.arrayContaining(["periodic 2", "rolling 3", "periodic 4", "final 4"]),
  );
  const results = await readLines(join(folder, "eval", "results.jsonl"));
  expect(results).toHaveLength(evaluations);
}

describe("`serve` with both services behind gateways with path prefixes", () => {
  it("trains a whole run, with checkpoints and evaluations", async () => {
    expect(served).toMatchObject({ code: 0, stderr: "" });
    await expectWholeRun(served.folder, 2);
  });

  it("supports chat with a checkpoint path, whose model it names, and with a run folder", async () => {
    const checkpoints = await records(served.folder, "checkpoints.jsonl", checkpointSchema);
    const { sampler_path: path } = checkpoints.findLast(({ kind }) => kind === "final") ?? {};
    const talk = async (target: string, ...flags: readonly string[]) => {
      const task = ["--environment", "calculator", "--task", "1", "--seed", "1", "--json"];
      const ended = await runProgram(["chat", target, ...task, ...flags], {
        ...keys(),
        TINKER_BASE_URL: models.url,
        OPENREWARD_SESSION_URL: environments.url,
      });
      const [first = "{}"] = ended.stdout.split("\n");
      return { ...ended, turn: chatTurnSchema.parse(JSON.parse(first)) };
    };
    const tokenizer = `--tokenizer_name=${resolve("src/local/engine/model")}`;
    const limits = ["--max_response_tokens=64", "--max_total_tokens=256"];
    const byPath = await talk(path ?? "", tokenizer, ...limits);
    const byFolder = await talk(served.folder);
    expect([byPath.code, byFolder.code]).toEqual([0, 0]);
    expect(byFolder.turn).toEqual(byPath.turn);
  });

  it("never requests a path outside the prefixes", () => {
    expect([...models.strays, ...environments.strays]).toEqual([]);
    const asked = new Set([...models.asked, ...environments.asked]);
    for (const name of ["forward_backward", "optim_step", "save_weights", "asample"]) {
      expect(asked).toContain(`/api/v1/${name}`);
    }
    // One environment addressed by its name on the server, and one by its deployment.
    for (const path of ["/create_session", "/calculator/call", "/call", "/delete_session"]) {
      expect(asked).toContain(path);
    }
  });
});

async function trainBehind(own: Filter, ...overrides: readonly string[]): Promise<Trained> {
  const filter = chained(own, rename);
  const gateway = await startGateway({
    upstream: serving.tinkerUrl,
    prefix: "",
    filter,
  });
  try {
    return await train(config(gateway.url), "--max_steps=1", "--evaluation=null", ...overrides);
  } finally {
    gateway.close();
  }
}

describe("a server of an older generation", () => {
  it("trains a whole run to the same tokens, and missing features are reported", async () => {
    const filter = chained(olderServer(), rename);
    const gateway = await startGateway({ upstream: serving.tinkerUrl, prefix: "", filter });
    const { code, stdout, stderr, folder } = await train(config(gateway.url));
    gateway.close();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const name = `The server at ${gateway.url}`;
    const listed = `warning: ${name} does not list its models. Whether it trains model_name: ${MODEL} is known only when the run begins`;
    for (const words of [
      listed,
      `${name}: Welcome.`,
      `warning: ${name}: I am old.`,
      `Whether the server at ${gateway.url} computes loss_fn: ppo could not be checked`,
      `${name}: It accepts training data only as JSON`,
    ]) {
      expect(stdout).toContain(words);
    }
    await expectWholeRun(folder, 2);
    expect(await tokens(folder)).toEqual(await tokens(served.folder));
  });
});

it("a server's log-probabilities are recognized as scaled", async () => {
  const hot = "--environments.calculator.temperature=1.5";
  const { code, stdout, folder } = await trainBehind(temperedLogprobs(), hot);
  expect(code).toBe(0);
  expect(stdout).toMatch(/with temperature 1.5, but/);
  const [row] = await readLines(join(folder, "metrics.jsonl"));
  expect(row).toMatchObject({ sampler: { logprob_convention: "scaled" } });
});

describe("a server's loss", () => {
  it("is detected, also one over whole sequences", async () => {
    const ended = await trainBehind(UNCHANGED, "--loss_fn=gspo");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(
      /The server at http:\S+ computes loss_fn: gspo as documented \(loss:sum\)/,
    );
  });

  it("that is not the requested one ends the run", async () => {
    const { code, stderr } = await trainBehind(deafToLoss(), "--loss_fn=cispo");
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: loss_fn: the server at http:\S+ does not compute cispo as documented: .* what importance_sampling gives\./,
    );
  });
});

describe("`serve` with another key for its environments", () => {
  it("reports an error of the service, not of the configuration, also with several environments", async () => {
    const folder = await runFolderWith(config(models.url));
    const variables = { ...keys(), ORS_API_KEY: "another" };
    const { code, stderr } = await runProgram(
      ["train", "-c", join(folder, "config.yaml")],
      variables,
    );
    expect(stderr).toMatch(
      /^error: .*calculator.*Check ORS_API_KEY \(from the process environment\).*depot.*Check ORS_API_KEY/,
    );
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(5);
  });
});

describe("a server with SkyRL's gaps", () => {
  let gaps: GappyServer;
  let gateway: Gateway;
  let folder = "";

  beforeAll(async () => {
    gaps = skyRlGaps();
    const filter = chained(gaps, rename);
    gateway = await startGateway({ upstream: serving.tinkerUrl, prefix: "", filter });
    const begun = await train(config(gateway.url), `--max_steps=${STEPS - 1}`);
    expect(begun).toMatchObject({ code: 0, stderr: "" });
    expect(begun.stdout).toContain(
      `warning: The server at ${gateway.url} does not report the context`,
    );
    folder = begun.folder;
    // A finished run continues when it may take more steps.
    const resumed = await runProgram(["resume", folder, `--max_steps=${STEPS}`], keys());
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(() => gateway?.close());

  it("trains a whole run with a resume, to the same tokens as a complete server", async () => {
    expect(gaps.refusals).toEqual(
      expect.arrayContaining(["422 load_weights", "404 sessions/ID/finish"]),
    );
    const loads = gaps.calls.filter(({ path }) => path === "load_weights");
    expect(loads.map(({ modelId, seqId }) => [modelId !== null, seqId])).toEqual([
      [false, null],
      [true, 1],
    ]);
    await expectWholeRun(folder, 3);
    expect(await tokens(folder)).toEqual(await tokens(served.folder));
  });

  it("reports other metrics, and the rows stay complete", async () => {
    const rows = await records(folder, "metrics.jsonl", rowSchema);
    const complete = await records(served.folder, "metrics.jsonl", rowSchema);
    for (const [step, row] of rows.entries()) {
      expect(row).toMatchObject({ num_rollouts: complete[step]?.num_rollouts });
      expect(row.loss).toBeCloseTo(complete[step]?.loss ?? Number.NaN, 3);
      expect(row).not.toHaveProperty("skipped");
      expect(Object.keys(row.tinker)).toEqual(["skyrl.ai/grad_norm", "skyrl.ai/learning_rate"]);
      expect(row).toMatchObject({ optim: { grad_norm: 0.5 } });
    }
  });

  it("may sample with any weights between a step and its save, so no sample is requested then", () => {
    let isStale = false;
    let sampled = 0;
    for (const { path } of gaps.calls) {
      if (path === "forward_backward" || path === "optim_step") isStale = true;
      if (path === "save_weights_for_sampler" || path === "create_session") isStale = false;
      if (path !== "asample") continue;
      sampled += 1;
      expect(isStale).toBe(false);
    }
    expect(sampled).toBeGreaterThan(STEPS * 6 * 4);
  });

  it("runs requests in order of arrival and never finishes an empty one, so requests are sent in order and with data", () => {
    const last = new Map<string, number>();
    for (const { modelId, seqId, datums } of gaps.calls) {
      expect(datums).not.toBe(0);
      if (modelId === null || seqId === null) continue;
      expect(seqId).toBe((last.get(modelId) ?? 0) + 1);
      last.set(modelId, seqId);
    }
    expect(last.size).toBe(2);
  });

  it("stops only at listed token ids, so every sample lists them", () => {
    for (const { stop } of gaps.calls.filter(({ path }) => path === "asample")) {
      expect(stop).toEqual([expect.any(Number)]);
    }
  });

  it("rejects a loss by a failed job, and the run reports the supported ones before it samples", async () => {
    const sampled = () => gaps.calls.filter(({ path }) => path === "asample").length;
    const before = sampled();
    const { code, stderr } = await train(config(gateway.url), "--loss_fn=dro");
    expect(stderr).toMatch(
      /^error: loss_fn: the server at http:\S+ does not accept dro \(Unknown loss function: dro\)\. It accepts importance_sampling, ppo, cispo, gspo: set loss_fn to one of them/,
    );
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(2);
    expect(sampled()).toBe(before);
  });

  it("is recognized by its per-token losses, at the start and at the resume", async () => {
    const events = await readFile(join(folder, "events.jsonl"), "utf8");
    expect(
      events.match(/computes loss_fn: ppo as documented \(elementwise_loss\); it does/g),
    ).toHaveLength(2);
  });
});
