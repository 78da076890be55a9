/** A service that rejects one prompt, for example by a filter or its context limit: that rollout fails, and the run continues. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { linesIn } from "./controlledRun.ts";
import { EVALUATING, forgetfulStage, STEPS } from "./forgetfulRun.ts";
import type { Filter } from "./tinkerServersProxy.ts";

const stage = forgetfulStage();

/** Index of the prompt that is rejected each time it is sent. */
const REFUSED = { training: 10, evaluation: 1 } as const;

class RefusingService implements Filter {
  readonly refused = { training: 0, evaluation: 0 };
  readonly #seen = { training: new Set<string>(), evaluation: new Set<string>() };
  readonly #banned = new Map<string, string>();

  request(passing: Parameters<Filter["request"]>[0]): ReturnType<Filter["request"]> {
    if (!passing.path.endsWith("/asample")) return passing;
    const text = passing.body.toString("utf8");
    const kind = text.includes(EVALUATING) ? "evaluation" : "training";
    const [, prompt = ""] = /"prompt":(.*?),"sampling_params"/.exec(text) ?? [];
    const digest = createHash("sha256").update(prompt).digest("hex");
    const seen = this.#seen[kind].add(digest);
    if (seen.size === REFUSED[kind] && !this.#banned.has(kind)) this.#banned.set(kind, digest);
    if (this.#banned.get(kind) !== digest) return passing;
    this.refused[kind] += 1;
    const body = Buffer.from('{"detail":"The prompt is refused."}');
    return { status: 400, type: "application/json", body };
  }

  answer(answer: Parameters<Filter["answer"]>[0]): ReturnType<Filter["answer"]> {
    return answer;
  }
}

const row = z.object({ step: z.number(), num_rollouts: z.number() });
const evaluation = z.object({ step: z.number() });
const rollout = z.object({ stop: z.string(), error: z.string().nullable() });

describe("a run that samples steps ahead", { timeout: 300_000 }, () => {
  it("continues when its service rejects a prompt", async () => {
    const filter = new RefusingService();
    const settings = "max_steps_off_policy: 2\n";
    const run = await stage.play({}, { filter, settings });
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(filter.refused.training).toBeGreaterThan(0);
    expect(filter.refused.evaluation).toBeGreaterThan(0);
    const rows = await linesIn(run.folder, "metrics.jsonl", row);
    expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: STEPS }, (_, i) => i));
    const rollouts = [];
    for (const { step } of rows)
      rollouts.push(...(await linesIn(run.folder, `rollouts/step-00000${step}.jsonl`, rollout)));
    expect(rollouts).toHaveLength(STEPS * 16);
    const failed = rollouts.filter(({ error }) => error !== null);
    expect(failed).toHaveLength(filter.refused.training);
    for (const { error } of failed) expect(error).toContain("The prompt is refused.");
    const evaluated = await linesIn(run.folder, "eval/results.jsonl", evaluation);
    expect(evaluated.map(({ step }) => step)).toEqual([0, 2, 4, STEPS]);
  });
});
