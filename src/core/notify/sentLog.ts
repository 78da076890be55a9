/** `notify.jsonl` in the run folder: which notices were let through, so that a resume repeats none and keeps to the rate. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { encodeJsonLine, parseJsonLines } from "../util/jsonl.ts";
import type { Notice } from "./notice.ts";
import type { SentNotice } from "./noticeRate.ts";

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
