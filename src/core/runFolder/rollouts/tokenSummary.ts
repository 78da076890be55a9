/** What a row shows of a rollout's trained tokens, read in pieces so that its length does not matter. */

import type { RolloutSet } from "../../../shared/rolloutSet.ts";
import type { FolderFiles } from "../../ports.ts";
import { mean } from "../../util/stats.ts";
import { tokensPath } from "../files/layout.ts";
import type { StoredTokenPlace } from "./rolloutRecord.ts";
import { readTokenPiece, tokenCount } from "./tokenRecord.ts";

/** Cells of a strip. */
const STRIP_CELLS = 40;
/** Tokens that one cell looks at; those of a longer part are represented by its first ones. */
const TOKENS_PER_CELL = 256;

export interface TokenSummary {
  /** Mean log-probability of the trained tokens in up to 40 equal parts of them, by whom it was asked for. */
  readonly strip: Float32Array;
  /** Mean advantage of the trained tokens; null without any. */
  readonly tokenAdvantage: number | null;
}

/** Summarizes one stream, reading at most about 92 kB. Null if the record is not complete. What was not sampled has numbers of the trainer only. */
export async function readTokenSummary(
  files: FolderFiles,
  folder: string,
  set: RolloutSet,
  entry: StoredTokenPlace,
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

/** Means of equal parts, or the values themselves where there are fewer. */
function stripOf(logprobs: readonly number[]): Float32Array {
  const cells = Math.min(STRIP_CELLS, logprobs.length);
  return Float32Array.from({ length: cells }, (_, cell) => {
    const start = Math.floor((cell * logprobs.length) / cells);
    const end = Math.floor(((cell + 1) * logprobs.length) / cells);
    return mean(logprobs.slice(start, end)) ?? 0;
  });
}

/** One part for a short stream, or the beginning of every cell. */
function partsToRead(total: number): readonly { readonly from: number; readonly count: number }[] {
  if (total <= STRIP_CELLS * TOKENS_PER_CELL) return [{ from: 0, count: total }];
  return Array.from({ length: STRIP_CELLS }, (_, cell) => ({
    from: Math.ceil((cell * total) / STRIP_CELLS),
    count: TOKENS_PER_CELL,
  }));
}
