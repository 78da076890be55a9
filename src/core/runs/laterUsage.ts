/** What a run has used that no row of its metrics counts: what came after its last row, or all of a folder without rows. */

import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readPriceFile } from "../runFolder/priceFile.ts";
import { usageEntries } from "../runFolder/usageLog.ts";
import { type UsedTotal, usedTotal } from "../usage/prices.ts";
import { addTokens, NO_RUN_USAGE, NO_TOKENS } from "../usage/tokenUsage.ts";

/** Over 30,000 rollouts, more than follow a row. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Reads the end of `usage.jsonl`; `steps` are the completed ones. Nothing where the last row's line is not found. @throws AppError `file-unreadable` */
export async function laterUsage(
  files: FolderFiles,
  folder: string,
  steps: number,
): Promise<UsedTotal> {
  const size = (await files.size(runPaths(folder).usage)) ?? 0;
  let later = steps === 0 ? NO_TOKENS : null;
  for await (const entry of usageEntries(files, folder, Math.max(0, size - TAIL_BYTES))) {
    // Where a resume has replaced rows, the last line of the step counts.
    if (entry.for === "row" && entry.step === steps - 1) later = NO_TOKENS;
    else if (later !== null && "tokens" in entry) later = addTokens(later, entry.tokens);
  }
  const prices = (await readPriceFile(files, folder))?.prices ?? null;
  return usedTotal({ ...NO_RUN_USAGE, cumulative: later ?? NO_TOKENS }, prices);
}

/** Both together; null when neither is known. Without prices of one the cost is not known. */
export function addUsed(row: UsedTotal | null, later: UsedTotal): UsedTotal | null {
  if (later.tokens === 0) return row;
  if (row === null) return later;
  const isPriced = row.costUsd !== null && later.costUsd !== null;
  const costUsd = isPriced ? row.costUsd + later.costUsd : null;
  return { tokens: row.tokens + later.tokens, costUsd };
}
