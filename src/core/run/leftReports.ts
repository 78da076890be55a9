/** What the trackers of a run that has ended still lack, and a resume would send. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { waitingUploads } from "./uploadLog.ts";
import { MAX_BYTES, readIfReadable } from "./wholeFiles.ts";

export interface LeftReports {
  /** Rollouts for OpenReward. */
  readonly rollouts: number;
  /** Rows of metrics for Weights & Biases. */
  readonly rows: number;
  /** True when Weights & Biases has all rows, but not how the run ended. */
  readonly isSummaryMissing: boolean;
}

export const NOTHING_LEFT: LeftReports = { rollouts: 0, rows: 0, isSummaryMissing: false };

/** As much of `wandb.json` as this takes; `deployment` is null for a run that was only filed. */
const placeSchema = z.object({
  deployment: z.string().nullable(),
  isEnded: z.boolean().catch(true),
  online: z.object({ confirmed: z.object({ next: z.int().nonnegative() }) }),
});

/** `steps` is the number of rows that the run has. */
export async function leftReports(
  fileSystem: FolderFiles,
  folder: string,
  steps: number,
): Promise<LeftReports> {
  const rollouts = (await waitingUploads(fileSystem, folder)) ?? 0;
  const path = `${folder}/wandb.json`;
  const text = (await readIfReadable(fileSystem, path, MAX_BYTES.wandb)) ?? "";
  const place = placeSchema.safeParse(parseJson(text)?.value).data;
  const isSent = place !== undefined && place.deployment !== null;
  const rows = isSent ? Math.max(0, steps - place.online.confirmed.next) : 0;
  return { rollouts, rows, isSummaryMissing: isSent && rows === 0 && !place.isEnded };
}
