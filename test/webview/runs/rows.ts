import { NO_MARK } from "../../../src/shared/marks.ts";
import type { RunsTableRow } from "../../../src/shared/runsPage.ts";

/** A row of the runs table with two settings. */
export function aRow(
  id: string,
  learningRate: number,
  seed: number,
  reward: number | null,
): RunsTableRow {
  return {
    id,
    name: id,
    state: "done",
    words: "run+ended+training",
    startedAtMs: 0,
    steps: 1,
    totalSteps: 2,
    reward,
    fit: null,
    sweep: null,
    swept: null,
    from: null,
    tokens: null,
    costUsd: null,
    digest: null,
    mark: NO_MARK,
    settings: {
      learning_rate: JSON.stringify(learningRate),
      seed: JSON.stringify(seed),
    },
  };
}
