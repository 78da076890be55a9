/** How a run reacts to failed rollouts. */

import { groupBy } from "../../../shared/groupBy.ts";
import { AppError } from "../../errors.ts";
import { REWARD_AT_END } from "../../openreward/faults.ts";
import { agentFailure } from "../../rollout/agentFailure.ts";
import { isInternalError } from "../../rollout/faults.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { withoutEnd } from "../../util/textEdges.ts";
import type { RunContext, RunReporting } from "./context.ts";
import { report } from "./report.ts";

/**
 * Records the first internal error of each class with its stack. A few rollouts may fail this way; if most of a step do, the run ends.
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
    const { group, rollout } = first.record;
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

/** Why a rollout has no reward; null if it has one. */
function failureOf({ record }: Pick<FinishedRollout, "record">): string | null {
  const { reward, error, stop } = record;
  if (reward !== null) return null;
  const advice = stop === "reached_terminal_state" ? ` ${REWARD_AT_END}` : "";
  const ended = `it ended with ${stop} and without a reward.${advice}`;
  return error ?? agentFailure(record) ?? ended;
}

/** Why each rollout or its agent failed; empty unless all did. If rewards differ, the step learns however the agents ended. */
export function failuresOfAll(
  rollouts: readonly Pick<FinishedRollout, "record">[],
): readonly string[] {
  const rewards = new Set(rollouts.flatMap(({ record }) => record.reward ?? []));
  if (rewards.size > 1) return [];
  const failures = rollouts.flatMap((each) => failureOf(each) ?? agentFailure(each.record) ?? []);
  return failures.length === rollouts.length ? failures : [];
}

/** Names all rollouts, or only their agents when some have a reward. */
export function whoFailed(rollouts: readonly Pick<FinishedRollout, "record">[]): string {
  const all = `all ${rollouts.length} rollouts`;
  return rollouts.some(({ record }) => record.reward !== null) ? `the agents of ${all}` : all;
}

/** Warns with the first reason when all rollouts of a step failed. */
export async function reportFailure(
  reporting: RunReporting,
  step: number,
  rollouts: readonly FinishedRollout[],
): Promise<void> {
  const [first] = failuresOfAll(rollouts);
  if (first === undefined) return;
  const message = `step ${step + 1}: ${whoFailed(rollouts)} failed. The first: ${first}`;
  await report(reporting, { step, level: "warn", kind: "rollouts-failed", message });
}

/** Pauses the run after the current step if the rollout failed and `group_failures` is `fail_fast`. */
export async function pauseAtFailure(
  context: RunContext,
  finished: FinishedRollout,
): Promise<void> {
  const { config, control } = context;
  const failure = failureOf(finished);
  if (config.group_failures !== "fail_fast" || failure === null || control.isPausing) return;
  control.pause();
  const { step, group, rollout } = finished.record;
  const place = `Step ${step + 1}, group ${group + 1}, rollout ${rollout + 1}`;
  const message = `${place} failed: ${withoutEnd(failure, /[.\s]/)}. The run pauses after this step because of group_failures: fail_fast; look at the rollout, then continue or stop the run.`;
  const data = { group, rollout };
  await report(context.reporting, { step, level: "warn", kind: "rollout-failed", message, data });
}
