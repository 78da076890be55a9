/** The provider's public price list: `docs/protocols/tinker.md#prices`. */

import * as z from "zod";
import { AppError } from "../errors.ts";
import type { HttpClient } from "../ports.ts";
import { REPLY_LIMITS } from "../replyLimits.ts";
import { PRICE_LIST_URL } from "../services.ts";
import { parseJson } from "../util/jsonl.ts";
import type { Prices } from "./prices.ts";

const TIMEOUT_MS = 5_000;

/** `$1.87`, in USD per million tokens. */
const price = z
  .string()
  .regex(/^\$\d+(\.\d+)?$/)
  .transform((text) => Number(text.slice(1)));

const listedModel = z.looseObject({
  prefill: price,
  cached_prefill: price,
  sample: price,
  train: price,
});

const listedModels = z.array(z.looseObject({ tinker_id: z.string() })).min(1);

function modelsOf(list: string): z.infer<typeof listedModels> | undefined {
  return listedModels.safeParse(parseJson(list)?.value).data;
}

/** Prices of the model with this exact name; null if the list does not have all four. */
export function listedPrices(list: string, model: string): Prices | null {
  const listed = modelsOf(list)?.find(({ tinker_id: name }) => name === model);
  const found = listedModel.safeParse(listed).data;
  if (found === undefined) return null;
  return {
    sampled: found.sample,
    prefill_cached: found.cached_prefill,
    prefill_uncached: found.prefill,
    trained: found.train,
  };
}

/** Null if it is not available for any reason. An answer without models is not a price list. */
export async function fetchPriceList(
  http: HttpClient,
  userAgent: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const response = await http.send({
      method: "GET",
      url: PRICE_LIST_URL,
      headers: { accept: "application/json", "user-agent": userAgent },
      timeoutMs: TIMEOUT_MS,
      replyLimit: {
        bytes: REPLY_LIMITS.catalogue,
        fault: (limit) => new Error(`The price list is longer than ${limit}.`),
      },
      signal,
    });
    const text = await response.text();
    return response.status === 200 && modelsOf(text) !== undefined ? text : null;
  } catch {
    return null;
  }
}

/** The error for a budget in USD that cannot be measured. */
export function pricesUnknown(model: string): AppError {
  return new AppError(
    "prices-unknown",
    `max_cost_usd: the prices of ${model} are unknown, so the cost of the run is unknown. Set prices to USD per million tokens of each kind (sampled, prefill_cached, prefill_uncached, trained), or use max_tokens_total.`,
    { configPath: "max_cost_usd" },
  );
}
