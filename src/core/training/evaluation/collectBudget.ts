/** Enforces the budgets of a run that collects rollouts. It has no steps, so any rollout may be the last. */

import type { EvaluationUsage } from "../../runFolder/usageLog.ts";
import { earlyEnd } from "../run/budgets.ts";
import { type PlayContext, pricesOf } from "../run/context.ts";
import type { Watcher } from "../run/progress.ts";

const NO_RESULTS = { rewards: [], heldOutLosses: [] };

interface CollectBudget {
  /** Use this context to play, so that pauses are not counted. */
  readonly context: PlayContext;
  readonly count: (used: EvaluationUsage) => void;
}

/** Counts rollouts including those of earlier attempts, and ends the run when a budget is used up, which may already be the case. */
export async function openCollectBudget(context: PlayContext): Promise<CollectBudget> {
  const { config, control, ports, reporting, storage } = context;
  const { usage, stage } = storage;
  const { clock } = ports;
  let { seconds } = await usage.read(() => false);
  let countedUntilMs = clock.monotonic();
  let isPaused = false;
  const countTime = (): void => {
    const nowMs = clock.monotonic();
    if (!isPaused) seconds += (nowMs - countedUntilMs) / 1000;
    countedUntilMs = nowMs;
  };
  const endIfUsedUp = (): void => {
    const spent = { steps: 0, usage, prices: pricesOf(context), seconds, stage };
    const ending = earlyEnd(config, spent, NO_RESULTS);
    if (ending !== null) control.fail(ending);
  };
  const watch: Watcher = (event) => {
    if (event.kind === "paused" || event.kind === "continued") {
      countTime();
      isPaused = event.kind === "paused";
    }
    reporting.watch(event);
  };
  endIfUsedUp();
  return {
    context: { ...context, reporting: { ...reporting, watch } },
    count: (used) => {
      countTime();
      usage.add({ ...used, seconds });
      endIfUsedUp();
    },
  };
}
