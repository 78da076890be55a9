/** What one result of an evaluation is about: which rollouts are behind a row of the table or a mark on the chart. */

import type { EvaluationView } from "../../src/shared/dashboardTypes.ts";
import type { DashboardModel } from "./dashboardModel.ts";
import { NO_FILTER, type RolloutFilter } from "./viewState.ts";

type Result = EvaluationView["results"][number];

export interface EvaluationCell extends Pick<Result, "environment" | "split" | "temperature"> {
  /** Completed steps. */
  readonly step: number;
  /** Absent for the weights of the run itself. */
  readonly model?: string | undefined;
}

/** Shows the rollouts of one result, and no others that were played after the same steps. */
export function openEvaluation(dashboard: DashboardModel, cell: EvaluationCell): void {
  const { step } = cell;
  const results = dashboard.data.evaluations.value
    .filter((entry) => entry.step === step)
    .flatMap((entry) => entry.results.map((result) => ({ ...result, model: entry.model?.name })));
  dashboard.update({ filter: { ...NO_FILTER, ...filterFor(cell, results) } });
  dashboard.openRollouts({ source: "evaluation", step });
}

/** Only by what the results differ in. */
function filterFor(
  { environment, split, temperature, model }: EvaluationCell,
  results: readonly (Result & { readonly model: string | undefined })[],
): Partial<RolloutFilter> {
  return {
    ...(results.some((other) => other.environment !== environment) && { environment }),
    ...(results.some((other) => other.split !== split) && { split }),
    ...(results.some((other) => other.temperature !== temperature) && { temperature }),
    ...(model !== undefined && results.some((other) => other.model !== model) && { model }),
  };
}
