/** Usage that is not in a run's metrics: after the last row, or all usage if there are no rows. */

import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { readPriceFile } from "../runFolder/priceFile.ts";
import { parseUsageEntry, type UsageEntry } from "../runFolder/usageLog.ts";
import { type UsedTotal, usedTotal } from "../usage/prices.ts";
import { addTokens, NO_RUN_USAGE, NO_TOKENS, type TokenUsage } from "../usage/tokenUsage.ts";

/** Enough for over 30,000 rollouts, more than usually follow a row. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Like {@link LaterUsage.read}, for a single read. */
export function laterUsage(files: FolderFiles, folder: string, steps: number): Promise<UsedTotal> {
  return new LaterUsage(files, folder).read(steps);
}

/** Usage of one run after its last row, while its file grows. Reads for the same step continue at the end of the previous read. */
export class LaterUsage {
  readonly #files: FolderFiles;
  readonly #folder: string;
  #steps: number | null = null;
  /** Where reading for this step began, and where it continues. */
  #start = 0;
  #offset = 0;
  /** Null until the line of the last row is found. */
  #tokens: TokenUsage | null = null;

  constructor(files: FolderFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Reads `usage.jsonl` after `steps` completed steps, from its end if the last row is there. Zero if the last row is not found. @throws AppError `file-unreadable` */
  async read(steps: number): Promise<UsedTotal> {
    const path = runPaths(this.#folder).usage;
    const size = (await this.#files.size(path)) ?? 0;
    if (steps !== this.#steps || size < this.#offset) {
      this.#steps = steps;
      this.#startAt(steps === 0 ? 0 : Math.max(0, size - TAIL_BYTES));
      this.#tokens = steps === 0 ? NO_TOKENS : null;
    }
    await this.#readOn(path, steps);
    if (this.#tokens === null && this.#start > 0) {
      this.#startAt(0);
      await this.#readOn(path, steps);
    }
    const prices = (await readPriceFile(this.#files, this.#folder))?.prices ?? null;
    return usedTotal({ ...NO_RUN_USAGE, cumulative: this.#tokens ?? NO_TOKENS }, prices);
  }

  #startAt(offset: number): void {
    this.#start = offset;
    this.#offset = offset;
  }

  async #readOn(path: string, steps: number): Promise<void> {
    for await (const { value, offset, length } of readLines(this.#files, path, this.#offset)) {
      this.#offset = offset + length + 1;
      const entry = parseUsageEntry(value);
      if (entry !== undefined) this.#add(entry, steps);
    }
  }

  #add(entry: UsageEntry, steps: number): void {
    // If a resume has replaced rows, the step's last line counts.
    if (entry.for === "row" && entry.step === steps - 1) this.#tokens = NO_TOKENS;
    else if (this.#tokens !== null && "tokens" in entry)
      this.#tokens = addTokens(this.#tokens, entry.tokens);
  }
}

/** The sum; null if neither is known. The cost is unknown if either has no prices. */
export function addUsed(row: UsedTotal | null, later: UsedTotal): UsedTotal | null {
  if (later.tokens === 0) return row;
  if (row === null) return later;
  const isPriced = row.costUsd !== null && later.costUsd !== null;
  const costUsd = isPriced ? row.costUsd + later.costUsd : null;
  return { tokens: row.tokens + later.tokens, costUsd };
}
