/** What alarms must remember of a run: a bounded number of its rows, the same after a resume as without one. */

import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/layout.ts";
import { readLines } from "../runFolder/lineReader.ts";
import type { MetricsRow } from "../runFolder/metricsTree.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import { type AlarmFacts, alarmFacts } from "./alarmFacts.ts";
import { CLEAR_AFTER_STEPS } from "./evaluateAlarms.ts";
import { type AlarmPast, BASELINE_STEPS, RULE_STEPS } from "./rules.ts";

const KEPT_STEPS = RULE_STEPS + CLEAR_AFTER_STEPS;

export class AlarmHistory {
  #steps: readonly AlarmFacts[] = [];
  #firstGaps: readonly number[] = [];

  /** The rows that stand in the run folder: those before the next step. @throws AppError `file-unreadable` */
  static async read(fileSystem: FolderFiles, folder: string): Promise<AlarmHistory> {
    const history = new AlarmHistory();
    // A long run has thousands of rows, of which the rules need only a few.
    const last: MetricsRow[] = [];
    for await (const { value } of readLines(fileSystem, runPaths(folder).metrics)) {
      if (!isMetricsRow(value)) continue;
      if (history.#firstGaps.length < BASELINE_STEPS) history.add(value);
      else if (last.push(value) > KEPT_STEPS) last.shift();
    }
    for (const row of last) history.add(row);
    return history;
  }

  /** What is known once `row` is there; it is not kept. */
  with(row: MetricsRow): AlarmPast {
    const facts = alarmFacts(row);
    return { steps: [...this.#steps, facts], firstGaps: this.#firstGaps };
  }

  /** Keeps a row with its alarms. */
  add(row: MetricsRow): void {
    const facts = alarmFacts(row);
    this.#steps = [...this.#steps, facts].slice(-KEPT_STEPS);
    if (facts.logprobGap !== null && this.#firstGaps.length < BASELINE_STEPS) {
      this.#firstGaps = [...this.#firstGaps, facts.logprobGap];
    }
  }
}
