/** The budgets of a run that collects rollouts: it has no steps, so that each rollout may be the last. */

import type { EvaluationUsage } from "../../runFolder/usageLog.ts";
import { earlyEnd } from "../run/budgets.ts";
import { type PlayContext, pricesOf } from "../run/context.ts";

const NO_RESULTS = { rewards: [], heldOutLosses: [] };

/** Counts rollouts with those of earlier attempts, and ends the run once a budget is used up, which it may be already. */
export async function openCollectBudget(
  context: PlayContext,
): Promise<(used: EvaluationUsage) => void> {
  const { config, control, ports, storage } = context;
  const { usage } = storage;
  const before = await usage.read(() => false);
  const startedMs = ports.clock.monotonic();
  const endIfUsedUp = (seconds: number): void => {
    const ending = earlyEnd(config, { usage, prices: pricesOf(context), seconds }, NO_RESULTS);
    if (ending !== null) control.fail(ending);
  };
  endIfUsedUp(before.seconds);
  return (used) => {
    const seconds = before.seconds + (ports.clock.monotonic() - startedMs) / 1000;
    usage.add({ ...used, seconds });
    endIfUsedUp(seconds);
  };
}
