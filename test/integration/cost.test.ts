/** Token counts and costs of runs, checked against a count of the bytes on the wire. */

import { once } from "node:events";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { readUsage } from "../../src/core/runFolder/usageLog.ts";
import { addTokens, type TokenUsage, tokenUsageSchema } from "../../src/core/usage/tokenUsage.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { connectTo, eventually, linesIn, runFile, runIn } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";
import { RequestedTokens } from "./requestedTokens.ts";
import { chained, renaming } from "./tinkerServersGaps.ts";
import { startGateway } from "./tinkerServersProxy.ts";
import { endOf, runProgram, type Serving, startProgram, startServing } from "./trainProgram.ts";

const STEPS = 5;
const MODEL = "Org/Tiny-tool-1";
/** Made-up USD per million tokens. */
const PRICES = { sampled: 440, prefill_cached: 39, prefill_uncached: 195, trained: 600 };

const configOf = (settings: string): string => `
model_name: ${MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
lora_rank: 8
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
  local/depot: { splits: { train: { num_samples: 50 } }, num_rollouts: 3, nonterminal_reward: 0 }
batch_size: 4
learning_rate: 1e-3
warmup_steps: 0
max_response_tokens: 48
max_total_tokens: 256
kl_coef: 0.01
off_policy_correction: tis
save_every: 0
rolling_save_every: 0
evaluation: { splits: { local/calculator: [test] }, at_start: true, at_end: true, every: 2, num_samples: 3, temperatures: [1] }
prices: ${JSON.stringify(PRICES)}
${settings}`;

const row = z.object({
  tokens: tokenUsageSchema.unwrap().extend({
    cumulative: tokenUsageSchema,
    discarded: tokenUsageSchema,
    evaluation: tokenUsageSchema,
  }),
  cost: z.object({
    step_usd: z.number(),
    cumulative_usd: z.number(),
    discarded_usd: z.number(),
    evaluation_usd: z.number(),
  }),
});

const closing: (() => void)[] = [];
let serving: Serving;

beforeAll(async () => {
  const folder = await runFolderWith("");
  serving = await startServing(join(folder, "checkpoints"));
});
afterAll(async () => {
  for (const close of closing) close();
  await serving?.stop();
});

async function project(settings: string) {
  const requested = new RequestedTokens();
  const filter = chained(requested, renaming("local/tiny-tool", MODEL));
  const gateway = await startGateway({
    upstream: serving.tinkerUrl,
    prefix: "",
    filter,
  });
  closing.push(gateway.close);
  const folder = await runFolderWith(configOf(settings));
  const variables = { TINKER_API_KEY: serving.key, TINKER_BASE_URL: gateway.url };
  return { folder, requested, variables };
}

const train = (folder: string): readonly string[] => ["train", "-c", join(folder, "config.yaml")];

/** The last row, and the evaluation after it. */
async function counted(folder: string) {
  const rows = await linesIn(folder, "metrics.jsonl", row);
  const last = rows.at(-1);
  if (last === undefined) throw new Error("the run has no row");
  const files = createFileSystem();
  const logged = await readUsage(files.within(runIn(folder)), runIn(folder));
  await files.close();
  return { ...last, rows, all: addTokens(last.tokens.cumulative, logged.evaluation), logged };
}

function usd(tokens: TokenUsage): number {
  return (
    (tokens.sampled * PRICES.sampled +
      tokens.prefill_cached * PRICES.prefill_cached +
      tokens.prefill_uncached * PRICES.prefill_uncached +
      tokens.trained * PRICES.trained) /
    1e6
  );
}

describe("a run", () => {
  it("counts every token on the wire exactly once, and prices it", async () => {
    const { folder, requested, variables } = await project(`max_steps: ${STEPS}`);
    const end = await runProgram(train(folder), variables);
    expect(end.code, end.stderr).toBe(0);
    const { all, cost, rows, tokens, logged } = await counted(folder);
    expect(all).toEqual(requested.tokens);
    expect(logged.training).toEqual(tokens.cumulative);
    expect(all.trained).toBeGreaterThan(0);
    expect(cost.cumulative_usd).toBeCloseTo(usd(tokens.cumulative), 9);
    expect(cost.discarded_usd).toBeCloseTo(usd(tokens.discarded), 9);
    expect(cost.evaluation_usd).toBeCloseTo(usd(tokens.evaluation), 9);
    // Not part of any step: the server checks, one forward pass and one request for log-probabilities.
    const steps = rows.reduce((sum, each) => sum + each.tokens.sampled, 0);
    expect(tokens.cumulative.sampled - steps).toBe(1);
    expect(tokens.discarded.sampled).toBeLessThan(tokens.cumulative.sampled);
  });
});

describe.each([
  ["sampled 2 steps ahead", `max_steps: ${STEPS}\nmax_steps_off_policy: 2`],
  ["with refill", `max_steps: ${STEPS}\nrefill: true\nmax_refill_batches: 1`],
])("a run %s that is killed", (_, settings) => {
  it("counts what the kill lost as discarded, and counts nothing twice after the resume", async () => {
    const { folder, requested, variables } = await project(settings);
    const child = startProgram(train(folder), variables, true);
    const closed = once(child, "close");
    child.stdout?.resume();
    child.stderr?.resume();
    const client = await connectTo(folder);
    const pausedAfter = async (steps: number): Promise<void> => {
      await eventually(async () => ((await rowsIn(folder)) >= steps - 1 ? true : null));
      await client.send({ action: "pause" });
      await eventually(async () => ((await runFile(folder)).phase === "paused" ? true : null));
      // Rollouts that are sampled ahead finish during the pause.
      while (requested.open > 0 || requested.quietMs < 1_000) await sleep(50);
    };
    await pausedAfter(1);
    await client.send({ action: "save" });
    const saved = await counted(folder);
    await client.send({ action: "continue" });
    await pausedAfter(saved.rows.length + 2);
    const before = await counted(folder);
    expect(before.rows.length).toBeGreaterThan(saved.rows.length);
    expect(before.rows.length).toBeLessThan(STEPS);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await closed;

    const end = await endOf(startProgram(["resume", runIn(folder)], variables));
    expect(end.code, end.stderr).toBe(0);
    const { all, rows } = await counted(folder);
    expect(all).toEqual(requested.tokens);
    // Training data is discarded only by a resume that repeats its step.
    const thrownAway = before.tokens.cumulative.trained - saved.tokens.cumulative.trained;
    expect(thrownAway).toBeGreaterThan(0);
    const discarded = rows.map(({ tokens }) => tokens.discarded.trained);
    const kept = rows.map((_, step) => (step < saved.rows.length ? 0 : thrownAway));
    expect(discarded).toEqual(kept);
  });
});

async function rowsIn(folder: string): Promise<number> {
  return (await linesIn(folder, "metrics.jsonl", z.unknown())).length;
}
