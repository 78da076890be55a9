/** Summarizes a rollout's trained tokens for a table row, reading in pieces so that the length does not matter. */

import type { RolloutSet } from "../../../shared/rolloutSet.ts";
import type { FolderFiles } from "../../ports.ts";
import { mean } from "../../util/stats.ts";
import { tokensPath } from "../files/layout.ts";
import type { StoredTokenRange } from "./rolloutRecord.ts";
import { readTokenPiece, tokenCount } from "./tokenRecord.ts";

/** Number of cells in a strip. */
const STRIP_CELLS = 40;
/** Tokens read per cell; longer parts are represented by their first tokens. */
const TOKENS_PER_CELL = 256;

export interface TokenSummary {
  /** Mean log-probability of the trained tokens in up to 40 equal parts, from the sampler or the trainer as requested. */
  readonly strip: Float32Array;
  /** Mean advantage of the trained tokens; null if there are none. */
  readonly tokenAdvantage: number | null;
}

/** Summarizes one stream, reading at most 92 kB. Null if the record is incomplete. Tokens that were not sampled need `trainer`. */
export async function readTokenSummary(
  files: FolderFiles,
  folder: string,
  set: RolloutSet,
  entry: StoredTokenRange,
  by: "sampler" | "trainer" = "sampler",
): Promise<TokenSummary | null> {
  const path = tokensPath(folder, set);
  const size = (await files.size(path)) ?? 0;
  if (entry.offset + entry.length > size) return null;
  const total = await tokenCount(files, path, entry);
  if (total === null) return null;
  const logprobs: number[] = [];
  let [trained, advantage] = [0, 0];
  for (const { from, count } of partsToRead(total)) {
    const piece = await readTokenPiece(files, path, { ...entry, total, from, count, by });
    for (const [at, logprob] of piece.logprobs.entries()) {
      if (piece.mask[at] !== 1) continue;
      trained += 1;
      if (!Number.isNaN(logprob)) logprobs.push(logprob);
      advantage += piece.advantages[at] ?? 0;
    }
  }
  return {
    strip: stripOf(logprobs),
    tokenAdvantage: trained === 0 ? null : advantage / trained,
  };
}

/** Means of equal parts, or the values themselves if there are fewer than cells. */
function stripOf(logprobs: readonly number[]): Float32Array {
  const cells = Math.min(STRIP_CELLS, logprobs.length);
  return Float32Array.from({ length: cells }, (_, cell) => {
    const start = Math.floor((cell * logprobs.length) / cells);
    const end = Math.floor(((cell + 1) * logprobs.length) / cells);
    return mean(logprobs.slice(start, end)) ?? 0;
  });
}

/** The whole of a short stream, or the start of each cell's part. */
function partsToRead(total: number): readonly { readonly from: number; readonly count: number }[] {
  if (total <= STRIP_CELLS * TOKENS_PER_CELL) return [{ from: 0, count: total }];
  return Array.from({ length: STRIP_CELLS }, (_, cell) => ({
    from: Math.ceil((cell * total) / STRIP_CELLS),
    count: TOKENS_PER_CELL,
  }));
}
