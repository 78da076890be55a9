/** Identifies one result of an evaluation: the rollouts behind a table row or a chart mark. */

import type { EvaluationView } from "../../src/shared/dashboardTypes.ts";
import { withoutUndefined } from "../../src/shared/withoutUndefined.ts";
import type { DashboardModel } from "./dashboardModel.ts";
import { NO_FILTER, type RolloutFilter } from "./viewState.ts";

export type Result = EvaluationView["results"][number];

export interface EvaluatedCell extends Pick<Result, "environment" | "split" | "temperature"> {
  /** Completed steps. */
  readonly step: number;
  /** Absent for the run's own weights. */
  readonly model?: string | undefined;
}

/** Shows the rollouts of one result and leaves out others evaluated at the same step. */
export function openEvaluation(dashboard: DashboardModel, cell: EvaluatedCell): void {
  const { step } = cell;
  const results = dashboard.data.evaluations.value
    .filter((entry) => entry.step === step)
    .flatMap((entry) => entry.results.map((result) => ({ ...result, model: entry.model?.name })));
  dashboard.update({ filter: { ...NO_FILTER, ...filterFor(cell, results) } });
  dashboard.openRollouts({ source: "evaluation", step });
}

/** Filters only by the fields in which the results differ. */
function filterFor(
  cell: EvaluatedCell,
  results: readonly Omit<EvaluatedCell, "step">[],
): Partial<RolloutFilter> {
  const differing = <Field extends keyof Omit<EvaluatedCell, "step">>(field: Field) =>
    results.some((other) => other[field] !== cell[field]) ? cell[field] : undefined;
  return withoutUndefined({
    environment: differing("environment"),
    split: differing("split"),
    temperature: differing("temperature"),
    model: differing("model"),
  });
}
