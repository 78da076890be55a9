/** What a run has used that no row of its metrics counts yet: evaluations after its last step, or of a folder that has no steps. */

import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readPriceFile } from "../runFolder/priceFile.ts";
import { usageEntries } from "../runFolder/usageLog.ts";
import { type UsedTotal, usedTotal } from "../usage/prices.ts";
import { addTokens, NO_RUN_USAGE, NO_TOKENS } from "../usage/tokenUsage.ts";

/** Over 30,000 rollouts. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Reads the end of `usage.jsonl`; `steps` are the completed ones. @throws AppError `file-unreadable` */
export async function laterUsage(
  files: FolderFiles,
  folder: string,
  steps: number,
): Promise<UsedTotal> {
  const size = (await files.size(runPaths(folder).usage)) ?? 0;
  let evaluation = NO_TOKENS;
  for await (const entry of usageEntries(files, folder, Math.max(0, size - TAIL_BYTES))) {
    if (entry.for !== "evaluation" || entry.step < steps) continue;
    evaluation = addTokens(evaluation, entry.tokens);
  }
  const prices = (await readPriceFile(files, folder))?.prices ?? null;
  return usedTotal({ ...NO_RUN_USAGE, evaluation }, prices);
}

/** Both together; null when neither is known. Without prices of one the cost is not known. */
export function addUsed(row: UsedTotal | null, later: UsedTotal): UsedTotal | null {
  if (later.tokens === 0) return row;
  if (row === null) return later;
  const isPriced = row.costUsd !== null && later.costUsd !== null;
  const costUsd = isPriced ? row.costUsd + later.costUsd : null;
  return { tokens: row.tokens + later.tokens, costUsd };
}
