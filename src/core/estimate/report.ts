/** An estimate with what it rests on, as it is shown and printed for programs. */

import type { Config } from "../config/fields/schema.ts";
import type { StageBudgets } from "../config/stages.ts";
import type { PriceFile } from "../runFolder/priceFile.ts";
import type { Estimate } from "./estimate.ts";
import type { EstimatePlan } from "./plan.ts";

export interface EstimateReport {
  /** That of the first stage where there are several. */
  readonly model: string;
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
  /** Absent for a training without stages. With them everything else is about all of them. */
  readonly stages?: readonly StageEstimate[];
  readonly budgets: StageBudgets;
}

export interface StageEstimate {
  readonly name: string;
  readonly method: Config["method"];
  readonly report: EstimateReport;
}
