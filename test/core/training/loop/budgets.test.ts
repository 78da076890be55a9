import { describe, expect, it } from "vitest";
import { readUsage, usageEntries } from "../../../../src/core/runFolder/usageLog.ts";
import { addTokens, countTokens } from "../../../../src/core/usage/tokenUsage.ts";
import { FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { type AheadOptions, prepareAhead, updates } from "./prepareAhead.ts";
import { positionOf } from "./prepareRun.ts";

const STEPS = 12;

/** A run that plays groups of two one after the other, with samples that take up to a minute. */
function prepared(options: Omit<AheadOptions, "steps">) {
  const sampleMs = (seed: number) => (seed * 7919) % 60_000;
  return prepareAhead({ sampleMs, steps: STEPS, ...options });
}

type Run = ReturnType<typeof prepared>;

/** All tokens of all kinds in the usage log. */
async function logged({ context }: Run): Promise<number> {
  const { training, evaluation } = await readUsage(context.fileSystem, FOLDER);
  return countTokens(addTokens(training, evaluation));
}

/** The largest number of tokens that one step used. */
function mostOfAStep({ context }: Run): number {
  const steps = linesOf(context, PATHS.metrics).map((row) => {
    const { tokens } = row as { readonly tokens: Readonly<Record<string, number>> };
    const { sampled = 0, prefill_cached: cached = 0, prefill_uncached = 0, trained = 0 } = tokens;
    return sampled + cached + prefill_uncached + trained;
  });
  return Math.max(...steps);
}

/** How long each update takes. */
const UPDATE_MS = 3_600_000;

function withSlowUpdates({ context: { client, clock } }: Run): void {
  const { optimStep } = client;
  client.optimStep = async (params) => {
    const updated = await optimStep.call(client, params);
    await clock.sleep(UPDATE_MS);
    return updated;
  };
}

describe.each([0, 2])("a run with max_steps_off_policy: %i", (stepsAhead) => {
  it("exceeds its time budget by at most one update", async () => {
    const run = prepared({ stepsAhead, config: { max_hours: 2.5 } });
    withSlowUpdates(run);
    expect(await run.run()).toMatchObject({ ending: { code: "time-budget" } });
    const { seconds } = await readUsage(run.context.fileSystem, FOLDER);
    expect(seconds / 3600).toBeGreaterThanOrEqual(2.5);
    expect(seconds / 3600).toBeLessThanOrEqual(3.6);
  });

  it("ends after the update that reaches its target", async () => {
    const config = { target_reward: { reward: 0.1, steps: 2 } };
    const run = prepared({ stepsAhead, config });
    expect(await run.run()).toMatchObject({ step: 2, outcome: "done" });
    expect(updates(run)).toHaveLength(2);
  });

  it("stops at stop_at_step, samples nothing for later steps, and resumes exactly beyond it", async () => {
    const whole = prepareAhead({ stepsAhead, steps: 6 });
    await whole.run();
    const config = { stop_at_step: 3 };
    const first = prepareAhead({ stepsAhead, steps: 6, config });
    const stopped = { step: 3, outcome: "stopped", ending: { code: "stop-at-step" } };
    expect(await first.run()).toMatchObject(stopped);
    expect(first.asked).toHaveLength(3 * 2);
    const { fileSystem } = first.context;
    const rest = prepareAhead({ stepsAhead, steps: 6, config, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ step: 6, outcome: "done" });
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
  });

  it("counts the time of a step that a stop ended", async () => {
    const run = prepared({ stepsAhead, config: { rolling_save_every: 0 } });
    withSlowUpdates(run);
    const { clock, control } = run.context;
    const ended = run.start();
    void clock.sleep(1.5 * UPDATE_MS).then(() => control.stop());
    await clock.run(ended);
    const { seconds } = await readUsage(run.context.fileSystem, FOLDER);
    expect(seconds).toBeGreaterThanOrEqual(5_400);
  });
});

describe.each([0, 3])("a token budget with max_steps_off_policy: %i", (stepsAhead) => {
  it.each([0.5, 3.2, 6.7])(
    "for %f steps is exceeded by at most one step's tokens, including those sampled ahead",
    async (steps) => {
      const whole = prepared({ stepsAhead });
      await whole.run();
      const step = mostOfAStep(whole);
      const limit = Math.round(steps * step);
      const run = prepared({ stepsAhead, config: { max_tokens_total: limit } });
      const end = await run.run();
      expect(end).toMatchObject({ outcome: "stopped", ending: { code: "token-budget" } });
      const used = await logged(run);
      expect(used).toBeGreaterThanOrEqual(limit);
      expect(used - limit).toBeLessThanOrEqual(step);
    },
  );

  it("does not change training, and a raised budget continues to the same result", async () => {
    const whole = prepared({ stepsAhead });
    await whole.run();
    const limit = Math.round(5.3 * mostOfAStep(whole));
    const first = prepared({ stepsAhead, config: { max_tokens_total: limit } });
    const { fileSystem } = first.context;
    await first.run();
    expect(updates(first)).toEqual(updates(whole).slice(0, updates(first).length));
    expect(updates(first).length).toBeGreaterThan(2);
    const rest = prepared({ stepsAhead, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: STEPS });
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
  });

  it("reports usage in each row that matches the usage log", async () => {
    const run = prepared({ stepsAhead });
    await run.run();
    const sums = [];
    let sum = 0;
    for await (const entry of usageEntries(run.context.fileSystem, FOLDER)) {
      if ("tokens" in entry) sum += countTokens(entry.tokens);
      else if (entry.for === "row") sums.push(sum);
    }
    const totals = linesOf(run.context, PATHS.metrics).map((row) => {
      const { tokens } = row as {
        readonly tokens: { readonly cumulative: Readonly<Record<string, number>> };
      };
      return Object.values(tokens.cumulative).reduce((total, count) => total + count, 0);
    });
    expect(totals).toEqual(sums);
    expect(totals.at(-1)).toBe(await logged(run));
  });
});
