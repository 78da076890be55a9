/** How many notices one place gets: each alarm now and then, and all together no more than people read. */

import type { Notice } from "./notice.ts";

/** A notice that was let through. */
export interface SentNotice extends Pick<Notice, "key" | "isEnd"> {
  readonly timeMs: number;
  /** As in its facts. */
  readonly step: number | null;
}

const HOUR_MS = 60 * 60_000;
/** Of all alarms together, and of each way to end: a run that is resumed again and again may fail as often. */
const MAX_AN_HOUR = 10;
/** Between two notices of the same alarm. */
const ALARM_INTERVAL_MS = HOUR_MS / 2;

export class NoticeRate {
  #sent: readonly SentNotice[];

  /** `past` are those of earlier attempts at the run. */
  constructor(past: readonly SentNotice[]) {
    this.#sent = past;
  }

  /** True for a notice that may be sent; it counts from now on. */
  admit(notice: SentNotice): boolean {
    const { timeMs, key, isEnd } = notice;
    this.#sent = this.#sent.filter((each) => Math.abs(timeMs - each.timeMs) < HOUR_MS);
    const ofKey = this.#sent.filter((each) => each.key === key);
    const alike = isEnd ? ofKey : this.#sent.filter((each) => !each.isEnd);
    const isRepeated = !isEnd && ofKey.some((each) => timeMs - each.timeMs < ALARM_INTERVAL_MS);
    if (isRepeated || alike.length >= MAX_AN_HOUR) return false;
    this.#sent = [...this.#sent, notice];
    return true;
  }
}
