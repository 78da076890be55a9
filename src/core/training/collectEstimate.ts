/** What `method: collect` takes: tasks of training are played, and nothing is trained. */

import { rolloutsAtOnce } from "../config/fields/presets.ts";
import type { Config } from "../config/fields/schema.ts";
import type { PlayedSteps } from "../estimate/basis.ts";
import { type Estimate, estimateRun } from "../estimate/estimate.ts";
import { type EstimatePlan, planWithoutRollouts } from "../estimate/plan.ts";
import type { Prices } from "../usage/prices.ts";
import { NO_TOKENS } from "../usage/tokenUsage.ts";
import type { CountedTasks } from "./estimatePlan.ts";

/** @throws AppError as an environment that is asked for its tasks */
export async function collectEstimate(
  config: Config,
  { countTasks }: Pick<CountedTasks, "countTasks">,
  basis: PlayedSteps,
  prices: Prices | null,
): Promise<{ readonly estimate: Estimate; readonly plan: EstimatePlan }> {
  const { environments, max_tasks: most, samples_per_task: samples } = config;
  const rollouts = [];
  for (const [environment, { splits }] of Object.entries(environments)) {
    for (const split of Object.keys(splits)) {
      const tasks = await countTasks(environment, split);
      rollouts.push({ environment, count: Math.min(tasks, most ?? tasks) * samples });
    }
  }
  const none = planWithoutRollouts(0);
  // It is played as one evaluation is, by weights that stay the same and after no check of the server.
  const evaluations = { count: 1, afterLastStep: 1, rollouts };
  const played = { ...basis, serverCheck: NO_TOKENS, isForwardOnly: false };
  const plan = { ...none, atOnce: rolloutsAtOnce(config), evaluations };
  return {
    estimate: {
      ...estimateRun(played, plan, prices),
      evaluationTokens: { mean: 0, low: 0, high: 0 },
    },
    plan: {
      ...none,
      environments: rollouts.map(({ environment, count }) => {
        return { name: environment, groups: count, rollouts: 1 };
      }),
    },
  };
}
