/** An estimate and its basis, for display and JSON output. */

import type { Config } from "../config/fields/schema.ts";
import type { StageBudgets } from "../config/stages.ts";
import type { PriceFile } from "../runFolder/priceFile.ts";
import type { Estimate } from "./estimate.ts";
import type { EstimatePlan } from "./plan.ts";

export interface EstimateReport {
  /** Model of the first part if there are several. */
  readonly model: string;
  readonly estimate: Estimate;
  readonly plan: EstimatePlan;
  /** Null if not all prices are known. */
  readonly prices: PriceFile | null;
  readonly restsOn: {
    /** Folder of a past run; null if groups were sampled for the estimate. */
    readonly run: string | null;
    readonly steps: number;
    readonly groups: number;
    readonly rollouts: number;
    /** Number of examples of a supervised run, which has no other basis; absent for reinforcement learning. */
    readonly examples?: number;
  };
  /** Absent for one run. If present, the other fields cover all parts. */
  readonly parts?: EstimateParts;
  /** Common to all stages. The runs of a sweep have none in common. */
  readonly budgets: StageBudgets;
}

export interface EstimateParts {
  /** Stages of a training, or runs of a sweep. */
  readonly kind: "stages" | "runs";
  readonly estimates: readonly PartEstimate[];
}

export interface PartEstimate {
  readonly name: string;
  readonly method: Config["method"];
  readonly report: EstimateReport;
}
