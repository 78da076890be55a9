/** The definition of an alarm. */

import type { AlarmId, Config } from "../config/fields/schema.ts";
import type { AlarmEdits } from "./alarmEdits.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import type { AlarmPast } from "./alarmHistory.ts";

/** `info` = worth knowing, but nothing is wrong; `critical` = continuing is most likely a waste. */
export type AlarmSeverity = "info" | "warning" | "critical";

/** What triggered an alarm. */
export interface AlarmFinding {
  readonly value: number;
  readonly threshold: number;
  readonly now: AlarmFacts;
  readonly past: AlarmPast;
}

export interface AlarmAdvice {
  readonly severity: AlarmSeverity;
  /** What it means and what to do about it, as sentences. */
  readonly meaning: string;
  /** Changes that belong together; empty if no setting helps. */
  readonly edits: (config: Config, past: AlarmPast) => AlarmEdits;
}

export interface Alarm extends AlarmAdvice {
  /** Shown in lists and headings. */
  readonly title: string;
  /** The bad side of the threshold. */
  readonly fires: "above" | "below";
  /** A stronger alarm about the same problem: while it fires, this one does not. */
  readonly suppressedBy?: AlarmId;
  /** Null if there is too little data to judge; `past` ends with the step `now`. */
  readonly measure: (now: AlarmFacts, past: AlarmPast) => number | null;
  /** A sentence with the observed number and the threshold it crossed. */
  readonly seen: (finding: AlarmFinding) => string;
  /** The last good step, counted from 0, whose weights to go back to; null if unknown. */
  readonly goodUntil?: (finding: AlarmFinding) => number | null;
  /** Different advice for a recognized cause; null if none is recognized. */
  readonly byCause?: (finding: AlarmFinding) => Partial<AlarmAdvice> | null;
}
