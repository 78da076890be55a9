/** Evaluations as a table: evaluated weights in rows, tasks and sampling settings in columns. */

import type { EvaluationView } from "../../src/shared/dashboardTypes.ts";
import type { EvaluatedCell, Result } from "./evaluationCell.ts";

export type EvaluationColumn = Pick<EvaluatedCell, "environment" | "split" | "temperature">;

export interface EvaluationPivotRow {
  /** Completed steps. */
  readonly step: number;
  /** Null for the run's own weights. */
  readonly model: string | null;
  /** One per column; null if not evaluated. */
  readonly cells: readonly (Result | null)[];
}

export interface EvaluationPivot {
  readonly columns: readonly EvaluationColumn[];
  readonly rows: readonly EvaluationPivotRow[];
  /** Per column, the first row with the highest mean; null if all means are equal. */
  readonly best: readonly (number | null)[];
}

/** Columns are in order of first appearance, rows in the order of the evaluations. */
export function evaluationPivot(evaluations: readonly EvaluationView[]): EvaluationPivot {
  const columns = new Map<string, EvaluationColumn>();
  for (const result of evaluations.flatMap(({ results }) => results)) {
    if (!columns.has(keyOf(result))) columns.set(keyOf(result), result);
  }
  const rows = evaluations.map(({ step, model, results }) => ({
    step,
    model: model?.name ?? null,
    cells: [...columns.keys()].map((key) => results.find((own) => keyOf(own) === key) ?? null),
  }));
  const best = [...columns.keys()].map((_, column) => bestOf(rows, column));
  return { columns: [...columns.values()], rows, best };
}

function keyOf({ environment, split, temperature }: EvaluationColumn): string {
  return JSON.stringify([environment, split, temperature]);
}

function bestOf(rows: readonly EvaluationPivotRow[], column: number): number | null {
  const means = rows.map(({ cells }) => cells[column]?.rewardMean ?? Number.NEGATIVE_INFINITY);
  const known = means.filter(Number.isFinite);
  const highest = Math.max(...known);
  return known.some((mean) => mean < highest) ? means.indexOf(highest) : null;
}
