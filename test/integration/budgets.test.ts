/** Runs that end early because a budget is used up or a target is reached. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { exitCodeOfRun } from "../../src/cli/terminal/exitCode.ts";
import { isAppError } from "../../src/core/errors.ts";
import { readUsage } from "../../src/core/runFolder/usageLog.ts";
import { addTokens, countTokens, tokenUsageSchema } from "../../src/core/usage/tokenUsage.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { EXIT } from "../../src/shared/exitCodes.ts";
import { resumeTraining, startEvaluation } from "../../src/trainer/trainer.ts";
import { trained } from "./comparedRuns.ts";
import { linesIn, resume, runFile, runIn, train } from "./controlledRun.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const STEPS = 5;
const configOf = (settings: string): string => `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: { num_samples: 23 } }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 5
num_epochs: 1
learning_rate: 1e-3
warmup_steps: 0
save_every: 0
${settings}`;

const PRICES = "{ sampled: 440, prefill_cached: 39, prefill_uncached: 195, trained: 600 }";

const row = z.object({
  budget: z.record(z.string(), z.number()).optional(),
  alarm: z.record(z.string(), z.number()),
  tokens: tokenUsageSchema.unwrap().extend({ cumulative: tokenUsageSchema }),
});
const event = z.object({ kind: z.string(), message: z.string() });

function project(settings: string): Promise<string> {
  return runFolderWith(configOf(settings));
}

/** The sum over all kinds of tokens. */
const total = (tokens: Readonly<Record<string, number>>): number =>
  Object.values(tokens).reduce((sum, count) => sum + count, 0);

/** All tokens in the run's usage log. */
async function logged(folder: string): Promise<number> {
  const files = createFileSystem();
  const { training, evaluation } = await readUsage(files.within(runIn(folder)), runIn(folder));
  await files.close();
  return countTokens(addTokens(training, evaluation));
}

describe("a run that samples steps ahead, with a budget of tokens", () => {
  it("saves and ends at the first boundary after the budget is used up, at most one step over; warns before that; a higher budget resumes to the same result", async () => {
    const ahead = "max_steps_off_policy: 2";
    const whole = await project(ahead);
    expect((await train(whole).ended).outcome).toBe("done");
    const undisturbed = await trained(runIn(whole));
    const all = await linesIn(whole, "metrics.jsonl", row);
    const budget = Math.round(0.55 * total(all.at(-1)?.tokens.cumulative ?? {}));
    const mostOfAStep = Math.max(
      ...all.map(({ tokens: { sampled, prefill_cached: cached, prefill_uncached, trained } }) =>
        total({ sampled, cached, prefill_uncached, trained }),
      ),
    );

    const folder = await project(`${ahead}\nmax_tokens_total: ${budget}`);
    const run = train(folder);
    const end = await run.ended;
    expect(end.outcome).toBe("stopped");
    expect(exitCodeOfRun(end)).toBe(EXIT.limit);
    const rows = await linesIn(folder, "metrics.jsonl", row);
    expect(rows.length).toBeGreaterThanOrEqual(1);
    expect(rows.length).toBeLessThan(STEPS);
    expect(rows.some(({ alarm }) => alarm["token_budget"] === 1)).toBe(true);
    const used = await logged(folder);
    expect(used).toBeGreaterThanOrEqual(budget);
    expect(used - budget).toBeLessThanOrEqual(mostOfAStep);
    const ended = await run.saw(({ kind }) => kind === "ended");
    expect(ended).toMatchObject({
      reason: expect.stringContaining("max_tokens_total"),
      used: { tokens: used },
    });
    const file = await runFile(folder);
    expect(file).toMatchObject({ phase: "stopped", ending: { code: "token-budget" } });
    expect(await linesIn(folder, "events.jsonl", event)).toContainEqual(
      expect.objectContaining({ kind: "token-budget", message: file.ending?.message }),
    );
    expect(await readdir(join(runIn(folder), "pending"))).not.toEqual([]);

    const same = await resume(folder).ended;
    expect(exitCodeOfRun(same)).toBe(EXIT.limit);
    expect((await linesIn(folder, "metrics.jsonl", row)).length).toBe(rows.length);
    const further = await resume(folder, `max_tokens_total=${10 * budget}`).ended;
    expect(further.outcome).toBe("done");
    expect(withoutBudgets(await trained(runIn(folder)))).toEqual(withoutBudgets(undisturbed));
  });
});

function withoutBudgets(value: unknown): unknown {
  const leftOut = new Set(["budget", "token_budget"]);
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => (leftOut.has(key) ? undefined : part)),
  );
}

it("a budget in USD without prices is refused at the start, and the message names the missing prices", async () => {
  const folder = await project("max_cost_usd: 1");
  const refused = await train(folder).ended.catch((error: unknown) => error);
  expect(isAppError(refused) && refused.message).toMatch(/prices/);
  await expect(readdir(runIn(folder))).rejects.toThrow();
});

describe("a run that collects", () => {
  const collect = "method: collect\nsamples_per_task: 2\nmax_tasks: 20";
  const folderIn = (project: string) => `${runIn(project)}-evaluation`;
  const playedIn = async (project: string) =>
    (await readLines(join(folderIn(project), "eval", "step-000000.jsonl"))).length;
  const resumed = (project: string, ...overrides: readonly string[]) => {
    const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
    const watch = () => undefined;
    return resumeTraining({ ...base, folder: folderIn(project), overrides, watch }).ended;
  };

  it("saves and ends once its budget is used up, and resumes with a higher one", async () => {
    const folder = await project(`${collect}\nmax_tokens_total: 10`);
    const run = train(folder);
    const end = await run.ended;
    expect(end).toMatchObject({ outcome: "stopped", ending: { code: "token-budget" } });
    expect(exitCodeOfRun(end)).toBe(EXIT.limit);
    const message = end.ending?.message;
    expect(message).toContain("resume it with a higher max_tokens_total");
    expect(run.events).toContainEqual({ kind: "warning", message });
    const file = JSON.parse(await readFile(join(folderIn(folder), "run.json"), "utf8"));
    expect(file).toMatchObject({ phase: "stopped", ending: { code: "token-budget" } });
    const played = await playedIn(folder);
    expect(played).toBeLessThan(40);

    expect(await resumed(folder)).toMatchObject({ ending: { code: "token-budget" } });
    expect(await playedIn(folder)).toBe(played);
    const done = await resumed(folder, "max_tokens_total=1000000");
    expect(done).toEqual({ outcome: "done", folder: folderIn(folder) });
    expect(await playedIn(folder)).toBe(40);
  });

  it("supports budgets in USD and in hours", async () => {
    const priced = await project(`${collect}\nprices: ${PRICES}\nmax_cost_usd: 0.0001`);
    expect(await train(priced).ended).toMatchObject({ ending: { code: "cost-budget" } });
    const timed = await project(`${collect}\nmax_hours: 0.0000001`);
    expect(await train(timed).ended).toMatchObject({ ending: { code: "time-budget" } });
  });

  it("has no budget in an evaluation-only run", async () => {
    const folder = await project(`${collect}\nmax_tokens_total: 10`);
    const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
    const request = { models: ["base"], splits: ["test"], watch: () => undefined };
    const configPath = join(folder, "config.yaml");
    const overrides = ["evaluation.num_samples=2"];
    const run = startEvaluation({ ...base, ...request, configPath, overrides });
    expect((await run.ended).outcome).toBe("done");
  });
});

it("a run that reaches its target ends as done, with a final checkpoint", async () => {
  const folder = await project("target_reward: { reward: 0.01, steps: 2 }");
  const end = await train(folder).ended;
  expect(end).toMatchObject({ outcome: "done", ending: { code: "target-reached" } });
  expect(exitCodeOfRun(end)).toBe(EXIT.done);
  const steps = (await linesIn(folder, "metrics.jsonl", row)).length;
  expect(steps).toBeGreaterThanOrEqual(2);
  expect(steps).toBeLessThan(STEPS);
  const kinds = await linesIn(folder, "checkpoints.jsonl", z.object({ kind: z.string() }));
  expect(kinds.map(({ kind }) => kind)).toContain("final");
});
