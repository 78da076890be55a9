/** `notify.jsonl` in the run folder: which notices were let through, so that a resume repeats none and keeps to the rate. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { encodeJsonLine, parseJsonLines } from "../util/jsonl.ts";
import type { Notice } from "./notice.ts";

/** Hundreds of lines, far more than an hour has. */
const TAIL_BYTES = 64 * 1024;

const lineSchema = z
  .object({
    timeMs: z.number(),
    key: z.string(),
    isEnd: z.boolean(),
    step: z.number().nullable(),
  })
  .readonly();

/** The newest ones; none for a folder without them. @throws AppError `folder-unsafe` */
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

/** Before it is sent: what may have arrived is not sent again. @throws AppError `disk` */
export async function addSentNotice(
  files: FolderFiles,
  folder: string,
  { timeMs, key, isEnd, step }: SentNotice,
): Promise<void> {
  const line = encodeJsonLine({ timeMs, key, isEnd, step });
  await files.append(runPaths(folder).notifications, line);
}

/** True where a resume says what was said before: an alarm of a step that it repeats, the same end. A failure is always news. */
export function wasSent(
  { key, facts: { step } }: Pick<Notice, "key" | "facts">,
  past: readonly SentNotice[],
): boolean {
  return key !== "failed" && past.some((each) => each.key === key && each.step === step);
}

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
