/** What an alarm is. */

import type { AlarmId, Config } from "../config/fields/schema.ts";
import type { AlarmEdits } from "./alarmEdits.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import type { AlarmPast } from "./alarmHistory.ts";

/** `info` = worth knowing, and nothing is ill; `critical` = going on is most likely a waste. */
export type AlarmSeverity = "info" | "warning" | "critical";

/** What an alarm was fired by. */
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
  /** Changes that belong together; none when no setting helps. */
  readonly edits: (config: Config, past: AlarmPast) => AlarmEdits;
}

export interface Alarm extends AlarmAdvice {
  /** For lists and headings. */
  readonly title: string;
  /** Which side of its threshold is bad. */
  readonly fires: "above" | "below";
  /** Another alarm that says the same in stronger words: while that one fires, this one does not. */
  readonly suppressedBy?: AlarmId;
  /** Null when there is too little to judge by; `past` ends with the step `now`. */
  readonly measure: (now: AlarmFacts, past: AlarmPast) => number | null;
  /** A sentence with the number that was seen and the bound that it has passed. */
  readonly seen: (finding: AlarmFinding) => string;
  /** The last good step, counted from 0, whose weights to go back to; null where it is not known. */
  readonly goodUntil?: (finding: AlarmFinding) => number | null;
  /** Other advice for a known cause; null where none is seen. */
  readonly byCause?: (finding: AlarmFinding) => Partial<AlarmAdvice> | null;
}
