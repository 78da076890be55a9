import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TINKER_URL } from "../../../src/core/services.ts";
import { cacheFolder } from "../../../src/node/cacheFolder.ts";
import {
  type ListPricesOptions,
  loadListPrices,
} from "../../../src/trainer/usage/loadPriceList.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const MODEL = "Org/Model";
const LIST = [
  { tinker_id: MODEL, prefill: "$1", cached_prefill: "$0.2", sample: "$3", train: "$4" },
];
const PRICES = { sampled: 3, prefill_cached: 0.2, prefill_uncached: 1, trained: 4 };

const folder = folderOfEachTest();
beforeEach(() => {
  for (const name of ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"]) vi.stubEnv(name, folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const config = { fetch_prices: true, max_cost_usd: null, model_name: MODEL, prices: null };

async function load(options: Partial<ListPricesOptions> = {}, reply: FakeReply = { json: LIST }) {
  const http = new FakeHttp(() => reply);
  const found = await loadListPrices({
    config,
    address: TINKER_URL,
    folder: null,
    log: silentLog,
    http,
    signal: new AbortController().signal,
    ...options,
  });
  return { found, asked: http.requests.length };
}

it("the list is fetched once a day and cached with its date", async () => {
  const today = new Date().toISOString().slice(0, 10);
  expect(await load()).toEqual({ found: { prices: PRICES, date: today }, asked: 1 });
  expect(await load()).toEqual({ found: { prices: PRICES, date: today }, asked: 0 });
  const path = join(cacheFolder(process.env), "prices.json");
  const cached: { fetchedAtMs: number } = JSON.parse(await readFile(path, "utf8"));
  const old = Date.UTC(2026, 0, 2);
  await writeFile(path, JSON.stringify({ ...cached, fetchedAtMs: old }));
  expect((await load()).asked).toBe(1);
  await writeFile(path, JSON.stringify({ ...cached, fetchedAtMs: old }));
  const { found, asked } = await load({}, "lost");
  expect([found, asked]).toEqual([{ prices: PRICES, date: "2026-01-02" }, 1]);
});

it("an invalid answer is not cached, and an older list stays", async () => {
  const noList = { json: { error: "try again" } };
  expect(await load({}, noList)).toEqual({ found: null, asked: 1 });
  expect(await load()).toMatchObject({ found: { prices: PRICES }, asked: 1 });
  const path = join(cacheFolder(process.env), "prices.json");
  const cached: object = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...cached, fetchedAtMs: Date.UTC(2026, 0, 2) }));
  for (const json of [noList.json, []]) {
    const { found } = await load({}, { json });
    expect(found).toEqual({ prices: PRICES, date: "2026-01-02" });
  }
});

it("an unavailable list is no error, and prices are unknown", async () => {
  expect(await load({}, "lost")).toEqual({ found: null, asked: 1 });
  expect(await load({}, { status: 403 })).toEqual({ found: null, asked: 1 });
});

it.each([
  ["an embedded model", { config: { ...config, model_name: "local/tiny-tool" } }],
  ["a service of somebody else", { address: "http://127.0.0.1:8080" }],
  ["fetch_prices: false", { config: { ...config, fetch_prices: false } }],
  ["prices of the configuration", { config: { ...config, prices: PRICES } }],
])("nothing is requested with %s", async (_, options) => {
  expect(await load(options)).toEqual({ found: null, asked: 0 });
});

it("a resumed run keeps its original prices, and requests none", async () => {
  const file = { model: MODEL, prices: PRICES, source: "price_list", date: "2026-01-02" };
  await writeFile(join(folder, "prices.json"), JSON.stringify(file));
  const { found, asked } = await load({ folder });
  expect([found?.prices, found?.date, asked]).toEqual([PRICES, "2026-01-02", 0]);
});

it("a budget in USD is rejected if no prices are known, and the message names the key", async () => {
  const limited = { ...config, max_cost_usd: 5 };
  await expect(load({ config: limited }, "lost")).rejects.toMatchObject({
    code: "prices-unknown",
    configPath: "max_cost_usd",
    message: expect.stringContaining("Set prices"),
  });
  expect((await load({ config: limited })).found?.prices).toEqual(PRICES);
});
