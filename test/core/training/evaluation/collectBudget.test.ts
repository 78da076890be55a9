import { expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { openCollectBudget } from "../../../../src/core/training/evaluation/collectBudget.ts";
import { evaluate } from "../../../../src/core/training/evaluation/evaluate.ts";
import {
  result,
  type ScriptedEnvironment,
  scriptedEnvironment,
} from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig, anEvaluation, someSettings } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

const solved = { onCall: () => result("", { reward: 1, finished: true }) };
const MINUTE_MS = 60_000;

/** Collects from an environment that answers only after some minutes, with a model that takes a minute per turn. */
async function collect(outageMinutes: number, tasks: number) {
  const inner = scriptedEnvironment([solved]);
  const answer = (): void => {
    if (context.clock.monotonic() >= outageMinutes * MINUTE_MS) return;
    throw new AppError("environment-unavailable", "gone");
  };
  const remote: ScriptedEnvironment = {
    ...inner,
    splits: async () => {
      answer();
      return inner.splits();
    },
    openSession: async (choice, options) => {
      answer();
      return inner.openSession(choice, options);
    },
  };
  const config = aConfig({ max_hours: 0.1, max_rollout_concurrency: 1 });
  const settings = someSettings({ maxRetries: 0 });
  const context = aContext({ config, remote, settings });
  const beforeAnswer = () => context.clock.sleep(MINUTE_MS);
  const sampler = scriptedSampler([ended(call("answer"))], { beforeAnswer });
  const budget = await openCollectBudget(context);
  const at = { step: 0, purpose: "asked" } as const;
  const evaluation = anEvaluation({ num_samples: tasks });
  const collecting = evaluate(budget.context, evaluation, sampler, at, budget.count);
  await context.clock.run(collecting.catch(() => undefined));
  const { seconds } = await context.storage.usage.read(() => false);
  return { context, seconds };
}

it("the time of collected rollouts excludes pauses", async () => {
  const { context, seconds } = await collect(20, 3);
  expect(context.phases).toEqual(["paused", "running"]);
  expect(context.control.failure).toBeNull();
  expect(seconds).toBeLessThan(4 * 60);
});

it("a time budget ends collection", async () => {
  const { context } = await collect(0, 8);
  expect(context.control.failure).toMatchObject({ code: "time-budget" });
});
