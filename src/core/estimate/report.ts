/** An estimate with what it rests on, as it is shown and printed for programs. */

import type { PriceFile } from "../runFolder/priceFile.ts";
import type { Estimate } from "./estimate.ts";
import type { EstimatePlan } from "./plan.ts";

export interface EstimateReport {
  readonly estimate: Estimate;
  readonly plan: EstimatePlan;
  /** Null when not all prices are known. */
  readonly prices: PriceFile | null;
  readonly restsOn: {
    /** Folder of a past run; null when groups were played for the estimate. */
    readonly run: string | null;
    readonly steps: number;
    readonly groups: number;
    readonly rollouts: number;
    /** Of a supervised run, which rests on nothing else; absent for reinforcement learning. */
    readonly examples?: number;
  };
  readonly budgets: {
    readonly max_cost_usd: number | null;
    readonly max_tokens_total: number | null;
    readonly max_hours: number | null;
  };
}
