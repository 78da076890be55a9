/** Decides whether an alarm begins, continues or ends with a step: a pure function of the run's rows so far. */

import { formatQuantity } from "../../shared/format.ts";
import type { AlarmId, AlarmsConfig, Config } from "../config/fields/schema.ts";
import { type CheckpointEntry, withState } from "../runFolder/checkpointLog.ts";
import type { AlarmSeverity } from "./alarm.ts";
import type { AlarmEdits } from "./alarmEdits.ts";
import { ALARM_IDS } from "./alarmFacts.ts";
import { type AlarmPast, CLEAR_AFTER_STEPS } from "./alarmHistory.ts";
import { ALARMS } from "./alarmTable.ts";

export interface AlarmState {
  readonly id: AlarmId;
  /** Null if the alarm is off. */
  readonly threshold: number | null;
  /** The measured value; null if there was too little data. */
  readonly value: number | null;
  readonly isFiring: boolean;
  readonly change: "begins" | "ends" | null;
}

/** The report when an alarm begins. */
export interface AlarmNotice {
  readonly id: AlarmId;
  readonly severity: AlarmSeverity;
  readonly seen: string;
  readonly meaning: string;
  readonly edits: AlarmEdits;
  /** Address of the checkpoint to go back to; absent if there is none. */
  readonly goBackTo?: string | undefined;
}

/** Evaluates the last step of `past`, one state per alarm. An alarm that cannot be judged keeps its state. */
export function evaluateAlarms(past: AlarmPast, thresholds: AlarmsConfig): readonly AlarmState[] {
  const before = past.steps.at(-2)?.firing ?? new Set();
  const isBadEnough = (id: AlarmId): boolean => {
    const threshold = thresholds[id];
    return threshold !== null && fires(id, past, threshold, before.has(id));
  };
  return ALARM_IDS.map((id): AlarmState => {
    const threshold = thresholds[id];
    const value = threshold === null ? null : measured(id, past);
    const { suppressedBy } = ALARMS[id];
    if (suppressedBy !== undefined && isBadEnough(suppressedBy)) {
      return { id, threshold, value, isFiring: false, change: null };
    }
    const isFiring = isBadEnough(id);
    const change = isFiring === before.has(id) ? null : isFiring ? "begins" : "ends";
    return { id, threshold, value, isFiring, change };
  });
}

/**
 * `past` ends with the step at which the alarm begins; `checkpoints` are the usable ones. Null if there was too little data.
 */
export function alarmNotice(
  { id, value, threshold }: AlarmState,
  past: AlarmPast,
  config: Config,
  checkpoints: readonly CheckpointEntry[] = [],
): AlarmNotice | null {
  const now = past.steps.at(-1);
  if (value === null || threshold === null || now === undefined) return null;
  const alarm = ALARMS[id];
  const finding = { value, threshold, now, past };
  const { severity, meaning, edits } = { ...alarm, ...alarm.byCause?.(finding) };
  const notice = { id, severity, seen: alarm.seen(finding), meaning, edits: edits(config, past) };
  const goodUntil = alarm.goodUntil?.(finding) ?? null;
  return goodUntil === null ? notice : { ...notice, ...goBackAdvice(goodUntil, checkpoints) };
}

/** The newest permanent save of good weights. */
function goBackAdvice(
  goodUntil: number,
  checkpoints: readonly CheckpointEntry[],
): Pick<AlarmNotice, "meaning" | "goBackTo"> {
  const [saved] = withState(checkpoints)
    .filter(({ kind, step }) => kind !== "rolling" && step > 0 && step <= goodUntil + 1)
    .toSorted((a, b) => b.step - a.step);
  if (saved === undefined) {
    const meaning =
      "The weights were better before, and no checkpoint of them is left. Start again, with a lower learning rate.";
    return { meaning };
  }
  const { name, step, state_path: goBackTo } = saved;
  const meaning = `The weights were better before. Go back to ${name}, saved after ${formatQuantity(step, "step")}, with a lower learning rate: a new run with \`resume_from: ${goBackTo}\`.`;
  return { meaning, goBackTo };
}

function fires(id: AlarmId, past: AlarmPast, threshold: number, wasFiring: boolean): boolean {
  if (!wasFiring) return isBad(id, past, threshold) === true;
  for (let back = 0; back < CLEAR_AFTER_STEPS; back += 1) {
    const steps = past.steps.slice(0, past.steps.length - back);
    if (isBad(id, { ...past, steps }, threshold) !== false) return true;
  }
  return false;
}

/** Null if there is too little data. */
function isBad(id: AlarmId, past: AlarmPast, threshold: number): boolean | null {
  const value = measured(id, past);
  if (value === null) return null;
  return ALARMS[id].fires === "above" ? value > threshold : value < threshold;
}

function measured(id: AlarmId, past: AlarmPast): number | null {
  const now = past.steps.at(-1);
  return now === undefined ? null : ALARMS[id].measure(now, past);
}
