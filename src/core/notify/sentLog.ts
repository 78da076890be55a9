/** `notify.jsonl` in the run folder: the notices that were sent, so that a resume repeats none and respects the rate. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { encodeJsonLine, parseJsonLines } from "../util/jsonl.ts";
import type { Notice } from "./notice.ts";

/** Hundreds of lines, far more than are written in an hour. */
const TAIL_BYTES = 64 * 1024;

const lineSchema = z
  .object({
    timeMs: z.number(),
    key: z.string(),
    isEnd: z.boolean(),
    step: z.number().nullable(),
  })
  .readonly();

/** The newest notices; empty if there are none. @throws AppError `folder-unsafe` */
export async function readSentNotices(
  files: FolderFiles,
  folder: string,
): Promise<readonly SentNotice[]> {
  const path = runPaths(folder).notifications;
  const size = (await files.size(path)) ?? 0;
  if (size === 0) return [];
  const offset = Math.max(0, size - TAIL_BYTES);
  const lines = parseJsonLines(await files.readRange(path, offset, size - offset));
  return lines.flatMap(({ value }) => lineSchema.safeParse(value).data ?? []);
}

/** Call before sending, so that a notice that may have arrived is not sent again. @throws AppError `disk` */
export async function addSentNotice(
  files: FolderFiles,
  folder: string,
  { timeMs, key, isEnd, step }: SentNotice,
): Promise<void> {
  const line = encodeJsonLine({ timeMs, key, isEnd, step });
  await files.append(runPaths(folder).notifications, line);
}

/** True if a resume repeats earlier news: an alarm of a repeated step, or the same end. Failures are always reported. */
export function wasSent(
  { key, facts: { step } }: Pick<Notice, "key" | "facts">,
  past: readonly SentNotice[],
): boolean {
  return key !== "failed" && past.some((each) => each.key === key && each.step === step);
}

/** A notice that was admitted. */
export interface SentNotice extends Pick<Notice, "key" | "isEnd"> {
  readonly timeMs: number;
  /** The step in its facts. */
  readonly step: number | null;
}

const HOUR_MS = 60 * 60_000;
/** Applies to all alarms together, and to each kind of end, because a run that is resumed repeatedly may also fail repeatedly. */
const MAX_PER_HOUR = 10;
/** Minimum interval between two notices of the same alarm. */
const ALARM_INTERVAL_MS = HOUR_MS / 2;

export class NoticeRate {
  #sent: readonly SentNotice[];

  /** `past` are notices from earlier attempts at the run. */
  constructor(past: readonly SentNotice[]) {
    this.#sent = past;
  }

  /** True if the notice may be sent. It then counts toward the rate. */
  admit(notice: SentNotice): boolean {
    const { timeMs, key, isEnd } = notice;
    this.#sent = this.#sent.filter((each) => Math.abs(timeMs - each.timeMs) < HOUR_MS);
    const ofKey = this.#sent.filter((each) => each.key === key);
    const alike = isEnd ? ofKey : this.#sent.filter((each) => !each.isEnd);
    const isRepeated = !isEnd && ofKey.some((each) => timeMs - each.timeMs < ALARM_INTERVAL_MS);
    if (isRepeated || alike.length >= MAX_PER_HOUR) return false;
    this.#sent = [...this.#sent, notice];
    return true;
  }
}
