/** What a step does about rollouts that failed in a way that no one foresaw. */

import { AppError } from "../../errors.ts";
import { isInternalError } from "../../rollout/faults.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { groupBy } from "../../util/groupBy.ts";
import type { RunReporting } from "./context.ts";

/**
 * Logs the stack of the first fault of each kind. A single rollout may fail so; when most of a step does, the run ends.
 * @throws AppError `rollout-bugs`, before anything is trained
 */
export async function requireNoInternalErrors(
  { events }: Pick<RunReporting, "events">,
  step: number,
  rollouts: readonly FinishedRollout[],
): Promise<void> {
  const broken = rollouts.filter(({ facts }) => isInternalError(facts.errorClass));
  for (const [name, [first]] of groupBy(broken, ({ facts }) => facts.errorClass ?? "")) {
    if (first === undefined) continue;
    const { group, rollout } = first.task;
    const message = `Step ${step + 1}, group ${group + 1}, rollout ${rollout + 1} failed unexpectedly: ${first.record.error}`;
    const data = { class: name, stack: first.stack };
    await events.record({ step, level: "error", kind: "rollout-bug", message, data });
  }
  if (broken.length * 2 <= rollouts.length) return;
  throw new AppError(
    "rollout-bugs",
    `${broken.length} of ${rollouts.length} rollouts of step ${step + 1} failed unexpectedly: ${broken[0]?.record.error ?? ""}. See events.jsonl. Nothing in the step was trained; the run is saved and can be resumed.`,
  );
}
