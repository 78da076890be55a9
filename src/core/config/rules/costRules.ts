/** A budget in USD needs prices. */

import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { conflict, type Finding } from "../source/finding.ts";
import { removal } from "../source/remedy.ts";

export function costFindings(config: Config): readonly Finding[] {
  const { fetch_prices, max_cost_usd, model_name, prices } = config;
  if (max_cost_usd === null || prices !== null) return [];
  const isLocal = isLocalModel(model_name);
  if (!isLocal && fetch_prices) return [];
  const why = isLocal
    ? "The price list has no prices of `local/…` models"
    : "With `fetch_prices: false` no prices are known";
  const message = `${why}, so the cost of the run is unknown. Set \`prices\`, or \`max_tokens_total\` instead.`;
  const path = ["max_cost_usd"];
  const remedies = [removal(path)];
  return [conflict("TRL219", path, message, { relatedPaths: [["prices"]], remedies })];
}
