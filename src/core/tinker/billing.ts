/** Reads what the service billed for sessions: `docs/protocols/tinker.md#bills`. */

import { addTokens, NO_TOKENS, type TokenUsage } from "../usage/tokenUsage.ts";
import type { TinkerHttp } from "./transport/http.ts";
import { type BilledEvent, billedEventsSchema } from "./wire/wire.ts";

export interface BilledUsage {
  readonly tokens: TokenUsage;
  /** Of the tokens, before credits; null if the service does not report it for all of them. Storage is billed without a session. */
  readonly costUsd: number | null;
  /** RFC 3339: costs before this time are from invoices, later ones from the published prices; null if all are. */
  readonly invoicedUntil: string | null;
}

export interface BillingPeriod {
  /** Milliseconds since the Unix epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

const HOUR_MS = 3_600_000;
/** The longest period that one request may cover. */
const MOST_MS = 14 * 24 * HOUR_MS;

/** Combined bill of all the sessions. @throws AppError `tinker-*`; `tinker-auth` for a key without the admin or billing role */
export async function readBilled(
  tinker: TinkerHttp,
  sessions: ReadonlySet<string>,
  { fromMs, toMs }: BillingPeriod,
): Promise<BilledUsage> {
  let billed: BilledUsage = { tokens: NO_TOKENS, costUsd: 0, invoicedUntil: null };
  const endMs = Math.ceil(toMs / HOUR_MS) * HOUR_MS;
  for (let ms = Math.floor(fromMs / HOUR_MS) * HOUR_MS; ms < endMs; ms += MOST_MS) {
    const bounds = [ms, Math.min(endMs, ms + MOST_MS)].map((at) =>
      encodeURIComponent(new Date(at).toISOString().replace(".000Z", "Z")),
    );
    const path = `billing/usage/events?starting_on=${bounds[0]}&ending_before=${bounds[1]}`;
    const answer = await tinker.call({ method: "GET", path }, billedEventsSchema);
    const own = answer.data.filter(({ session_id: id }) => id !== null && sessions.has(id));
    const invoicedUntil = answer.cost_data_through ?? billed.invoicedUntil;
    billed = { ...own.reduce(withEvent, billed), invoicedUntil };
  }
  return billed;
}

function withEvent(before: BilledUsage, event: BilledEvent): BilledUsage {
  const tokens = tokensOf(event);
  if (tokens === null) return before;
  const cost = event.estimated_cost_usd;
  return {
    ...before,
    tokens: addTokens(before.tokens, tokens),
    costUsd: before.costUsd === null || cost === null ? null : before.costUsd + cost,
  };
}

/** Null for an event that is not about tokens. */
function tokensOf({ event_info: info }: BilledEvent): Partial<TokenUsage> | null {
  const count = info.token_count ?? 0;
  switch (info.type) {
    case "training":
      return { trained: count };
    case "sampling_sample":
      return { sampled: count };
    case "sampling_prefill":
      return info.cached === true ? { prefill_cached: count } : { prefill_uncached: count };
    default:
      return null;
  }
}
