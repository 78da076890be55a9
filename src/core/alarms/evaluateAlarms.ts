/** Whether an alarm begins, goes on or ends with a step: a pure function of the rows of the run so far. */

import { alarmFields } from "../config/alarmFields.ts";
import type { AlarmId, AlarmsConfig } from "../config/schema.ts";
import { ALARM_RULES, type AlarmPast, type AlarmRule } from "./rules.ts";

/** An alarm ends after so many steps in a row without a reason for it, so that it does not flicker. */
export const CLEAR_AFTER_STEPS = 3;

// The table's own keys.
export const ALARM_IDS = Object.keys(alarmFields) as readonly AlarmId[];

export interface AlarmState {
  readonly id: AlarmId;
  /** Null when the alarm is off. */
  readonly threshold: number | null;
  /** As the rule measured it; null when there was too little to judge by. */
  readonly value: number | null;
  readonly isFiring: boolean;
  readonly change: "begins" | "ends" | null;
}

/** Judges the last step of `past`, one verdict an alarm. What cannot be judged stays as it was. */
export function evaluateAlarms(past: AlarmPast, thresholds: AlarmsConfig): readonly AlarmState[] {
  const before = past.steps.at(-2)?.firing;
  const verdicts = ALARM_IDS.map((id): AlarmState => {
    const threshold = thresholds[id];
    const value = threshold === null ? null : ALARM_RULES[id].measure(past);
    const wasFiring = before?.has(id) === true;
    const isFiring = threshold !== null && fires(id, past, threshold, wasFiring);
    const change = isFiring === wasFiring ? null : isFiring ? "begins" : "ends";
    return { id, threshold, value, isFiring, change };
  });
  const firing = new Set(verdicts.flatMap(({ id, isFiring }) => (isFiring ? [id] : [])));
  return verdicts.map((verdict) => {
    const suppressor = SUPPRESSED_BY[verdict.id];
    const isSuppressed = suppressor !== undefined && firing.has(suppressor);
    return isSuppressed ? { ...verdict, isFiring: false, change: null } : verdict;
  });
}

/** The alarm that says the same in stronger words: while it rings, the other one is silent. */
const SUPPRESSED_BY: Readonly<Partial<Record<AlarmId, AlarmId>>> = {
  logprob_gap: "logprob_gap_critical",
};

function fires(id: AlarmId, past: AlarmPast, threshold: number, wasFiring: boolean): boolean {
  const rule = ALARM_RULES[id];
  if (!wasFiring) return isBad(rule, past, threshold) === true;
  for (let back = 0; back < CLEAR_AFTER_STEPS; back += 1) {
    const steps = past.steps.slice(0, past.steps.length - back);
    if (isBad(rule, { ...past, steps }, threshold) !== false) return true;
  }
  return false;
}

/** Null when it cannot be told. */
function isBad(rule: AlarmRule, past: AlarmPast, threshold: number): boolean | null {
  const value = rule.measure(past);
  if (value === null) return null;
  return rule.fires === "above" ? value > threshold : value < threshold;
}
