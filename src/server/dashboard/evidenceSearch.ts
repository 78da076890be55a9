/** Finds the rollouts of a step that triggered an alarm. */

import { alarmEvidence } from "../../core/alarms/alarmEvidence.ts";
import { ALARM_IDS } from "../../core/alarms/alarmFacts.ts";
import { AppError } from "../../core/errors.ts";
import type { RolloutSummary, RunReader } from "../../core/runFolder/reader.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { RolloutPosition } from "../../shared/rolloutSet.ts";

export interface EvidenceReport {
  /** Found since the last report. */
  readonly found: readonly RolloutPosition[];
  readonly isComplete: boolean;
}

/** Reads group by group, and reports as it proceeds. @throws AppError `no-such-alarm` for an unknown name */
export async function* searchEvidence(
  reader: RunReader,
  summaries: readonly RolloutSummary[],
  alarm: string,
): AsyncGenerator<EvidenceReport, void> {
  const id = ALARM_IDS.find((own) => own === alarm);
  if (id === undefined) throw new AppError("no-such-alarm", `There is no alarm ${alarm}.`);
  const { madeBy } = alarmEvidence(id);
  let checked = 0;
  for (const group of groupBy(summaries, (summary) => summary.group).values()) {
    const bodies = await Promise.all(group.map((summary) => reader.body(summary)));
    const whole = bodies.flatMap((body, i) => {
      const summary = group[i];
      return body === null || summary === undefined ? [] : [{ body, summary }];
    });
    const made = madeBy?.(whole.map(({ body }) => body)) ?? [];
    const found = whole
      .filter((_, i) => madeBy === null || made[i] === true)
      .map(({ summary }) => ({ group: summary.group, rollout: summary.rollout }));
    checked += group.length;
    yield { found, isComplete: checked === summaries.length };
  }
  if (summaries.length === 0) yield { found: [], isComplete: true };
}
