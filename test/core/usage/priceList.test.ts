import { expect, it } from "vitest";
import { fetchPriceList, listedPrices } from "../../../src/core/usage/priceList.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";

const listed = (id: string, changes: object = {}) => ({
  tinker_id: id,
  prefill: "$0.13",
  cached_prefill: "$0.026",
  sample: "$0.40",
  train: "$0.40",
  note: null,
  ...changes,
});

it("prices are those of the exact model name, in USD per million tokens", () => {
  const list = JSON.stringify([
    listed("Org/Model:peft:262144", { prefill: "$9" }),
    listed("Org/Model", { train: "$1.87" }),
  ]);
  const prices = { sampled: 0.4, prefill_cached: 0.026, prefill_uncached: 0.13, trained: 1.87 };
  expect(listedPrices(list, "Org/Model")).toEqual(prices);
  expect(listedPrices(list, "Org/Mod")).toBeNull();
});

it.each([
  ["a price is missing", [{ ...listed("a"), train: undefined }]],
  ["a price is no amount", [listed("a", { sample: "on request" })]],
  ["a price is a number", [listed("a", { sample: 1 })]],
  ["it is no list", { a: listed("a") }],
])("no prices are known when %s", (_, list) => {
  expect(listedPrices(JSON.stringify(list), "a")).toBeNull();
});

it("a list that is not JSON has no prices", () => {
  expect(listedPrices("<html>", "a")).toBeNull();
});

it.each<readonly [string, FakeReply]>([
  ["is refused", { status: 403, text: "no" }],
  ["breaks off", "lost"],
])("nothing is reported when the request for the list %s", async (_, reply) => {
  const http = new FakeHttp(() => reply);
  expect(await fetchPriceList(http, "tinker-rl/1", new AbortController().signal)).toBeNull();
});

it("the list is requested with a plain user agent, a time limit, and no key", async () => {
  const list = [{ tinker_id: "Org/Model" }];
  const http = new FakeHttp(() => ({ json: list }));
  const fetched = await fetchPriceList(http, "tinker-rl/1", new AbortController().signal);
  expect(fetched).toBe(JSON.stringify(list));
  const [request] = http.requests;
  expect(request?.headers).toEqual({ accept: "application/json", "user-agent": "tinker-rl/1" });
  expect(request?.timeoutMs).toBe(5_000);
  expect(request?.url).toMatch(/^https:\/\//);
});
