/** Finds the prices of a hosted model: in the run folder, the user's cache, or the vendor's list, which is fetched at most once. */

import { dirname, join } from "node:path";
import * as z from "zod";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { errorMessage } from "../../core/errors.ts";
import type { HttpClient, Log } from "../../core/ports.ts";
import { type PriceFile, readPriceFile } from "../../core/runFolder/priceFile.ts";
import { TINKER_URL } from "../../core/services.ts";
import { fetchPriceList, listedPrices, pricesUnknown } from "../../core/usage/priceList.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { withoutEnd } from "../../core/util/textEdges.ts";
import { cacheFolder } from "../../node/cacheFolder.ts";
import { systemClock } from "../../node/clock.ts";
import { createFileSystem } from "../../node/fileSystem.ts";
import { createHttpClient } from "../../node/http.ts";
import { USER_AGENT } from "../../shared/version.ts";

export type ListPrices = Pick<PriceFile, "prices" | "date">;

export interface ListPricesOptions {
  readonly config: Pick<Config, "fetch_prices" | "max_cost_usd" | "model_name" | "prices">;
  /** Address of the Tinker service; the vendor's list only applies to the vendor's own service. */
  readonly address: string;
  /** Folder of a resumed run; null for a new one. */
  readonly folder: string | null;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Client used to fetch the list; absent = a new one. */
  readonly http?: HttpClient;
}

const MAX_AGE_MS = 24 * 3600_000;
const MAX_CACHE_BYTES = 16 * 2 ** 20;

const cachedList = z.object({ fetchedAtMs: z.number(), list: z.string() });
type CachedList = z.infer<typeof cachedList>;

/**
 * Null if prices are unknown or not needed. An unavailable list is only an error if the run has a budget in USD.
 * @throws AppError `prices-unknown`
 */
export async function loadListPrices(options: ListPricesOptions): Promise<ListPrices | null> {
  const { config } = options;
  if (config.prices !== null) return null;
  const found = await findPrices(options);
  if (found === null && config.max_cost_usd !== null) throw pricesUnknown(config.model_name);
  return found;
}

async function findPrices(options: ListPricesOptions): Promise<ListPrices | null> {
  const { config, address, folder } = options;
  const isVendors = withoutEnd(address, /\//) === TINKER_URL;
  if (isLocalModel(config.model_name) || !isVendors) return null;
  const files = createFileSystem();
  try {
    const kept = folder === null ? null : await readPriceFile(files.within(folder), folder);
    if (kept?.source === "price_list" && kept.model === config.model_name) return kept;
    if (!config.fetch_prices) return null;
    const cached = await newestList(options, files);
    const prices = cached === null ? null : listedPrices(cached.list, config.model_name);
    if (cached === null || prices === null) return null;
    return { prices, date: new Date(cached.fetchedAtMs).toISOString().slice(0, 10) };
  } finally {
    await files.close();
  }
}

/** The cached list if it is less than a day old, else a fetched one, else the cached one at any age. */
async function newestList(
  { log, signal, http }: ListPricesOptions,
  files: ReturnType<typeof createFileSystem>,
): Promise<CachedList | null> {
  const path = join(cacheFolder(process.env), "prices.json");
  const cached = await readCache(files, path);
  const nowMs = systemClock.now();
  if (cached !== null && Math.abs(nowMs - cached.fetchedAtMs) < MAX_AGE_MS) return cached;
  const list = await fetchList(http, signal);
  if (list === null) return cached;
  const fetched = { fetchedAtMs: nowMs, list };
  try {
    await files.makeDirectory(dirname(path));
    await files.writeAtomic(path, JSON.stringify(fetched));
  } catch (error) {
    log.debug("The price list was not cached.", { reason: errorMessage(error) });
  }
  return fetched;
}

async function readCache(
  files: ReturnType<typeof createFileSystem>,
  path: string,
): Promise<CachedList | null> {
  try {
    const text = await files.readText(path, MAX_CACHE_BYTES);
    return cachedList.safeParse(parseJson(text)?.value).data ?? null;
  } catch {
    return null;
  }
}

async function fetchList(given: HttpClient | undefined, signal: AbortSignal) {
  if (given !== undefined) return fetchPriceList(given, USER_AGENT, signal);
  const http = createHttpClient();
  try {
    return await fetchPriceList(http, USER_AGENT, signal);
  } finally {
    await http.close();
  }
}
