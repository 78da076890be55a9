/** Whether an alarm begins, goes on or ends with a step: a pure function of the rows of the run so far. */

import { alarmFields } from "../../config/alarmFields.ts";
import type { AlarmId, AlarmsConfig } from "../../config/schema.ts";
import { ALARM_RULES, type AlarmPast, type AlarmRule } from "./rules.ts";

/** An alarm ends after so many steps in a row without a reason for it, so that it does not flicker. */
export const CALM_STEPS = 3;

// The table's own keys.
export const ALARM_IDS = Object.keys(alarmFields) as readonly AlarmId[];

export interface Verdict {
  readonly id: AlarmId;
  /** Null when the alarm is off. */
  readonly threshold: number | null;
  /** As the rule measured it; null when there was too little to judge by. */
  readonly value: number | null;
  readonly isRinging: boolean;
  readonly change: "begins" | "ends" | null;
}

/** Judges the last step of `past`, one verdict an alarm. What cannot be judged stays as it was. */
export function judge(past: AlarmPast, thresholds: AlarmsConfig): readonly Verdict[] {
  const before = past.steps.at(-2)?.ringing;
  const verdicts = ALARM_IDS.map((id): Verdict => {
    const threshold = thresholds[id];
    const value = threshold === null ? null : ALARM_RULES[id].measure(past);
    const wasRinging = before?.has(id) === true;
    const isRinging = threshold !== null && rings(id, past, threshold, wasRinging);
    const change = isRinging === wasRinging ? null : isRinging ? "begins" : "ends";
    return { id, threshold, value, isRinging, change };
  });
  const ringing = new Set(verdicts.flatMap(({ id, isRinging }) => (isRinging ? [id] : [])));
  return verdicts.map((verdict) => {
    const louder = LOUDER[verdict.id];
    const isDrowned = louder !== undefined && ringing.has(louder);
    return isDrowned ? { ...verdict, isRinging: false, change: null } : verdict;
  });
}

/** The alarm that says the same in stronger words: while it rings, the other one is silent. */
const LOUDER: Readonly<Partial<Record<AlarmId, AlarmId>>> = {
  logprob_gap: "logprob_gap_critical",
};

function rings(id: AlarmId, past: AlarmPast, threshold: number, wasRinging: boolean): boolean {
  const rule = ALARM_RULES[id];
  if (!wasRinging) return isBad(rule, past, threshold) === true;
  for (let back = 0; back < CALM_STEPS; back += 1) {
    const steps = past.steps.slice(0, past.steps.length - back);
    if (isBad(rule, { ...past, steps }, threshold) !== false) return true;
  }
  return false;
}

/** Null when it cannot be told. */
function isBad(rule: AlarmRule, past: AlarmPast, threshold: number): boolean | null {
  const value = rule.measure(past);
  if (value === null) return null;
  return rule.rings === "above" ? value > threshold : value < threshold;
}
