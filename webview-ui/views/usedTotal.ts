/** What a run has used so far, including evaluations. */

import type { RunView } from "../../src/shared/dashboardTypes.ts";
import type { ColumnStore } from "../charts/columns.ts";

const KINDS = ["sampled", "prefill_cached", "prefill_uncached", "trained"];
const TOKENS = ["cumulative", "evaluation"].flatMap((part) =>
  KINDS.map((kind) => `tokens/${part}/${kind}`),
);

/** Tokens of all kinds and USD (null without prices): the totals of the last row, plus `later` usage not in any row yet. */
export function usedTotal(
  columns: Pick<ColumnStore, "at" | "rows">,
  later: RunView["laterUsed"],
): RunView["laterUsed"] {
  const latest = (name: string): number | null => columns.at(name, columns.rows - 1);
  const tokens = TOKENS.reduce((sum, name) => sum + (latest(name) ?? 0), later.tokens);
  const steps = latest("cost/cumulative_usd");
  const evaluations = (latest("cost/evaluation_usd") ?? 0) + (later.costUsd ?? 0);
  return { tokens, costUsd: steps === null ? null : steps + evaluations };
}
