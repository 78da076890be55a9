import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { billedRun } from "../../../src/trainer/usage/billedRun.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { type Served, serveHere } from "../../fakes/serveHere.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let server: Served;
let asked: URLSearchParams[];
let status: number;
const folder = folderOfEachTest();
const fileSystem = filesOnDisk();

function event(session: string, info: object, cost: number | null = 0.5): object {
  return { session_id: session, event_info: info, estimated_cost_usd: cost };
}

const FIRST = [
  event("s1", { type: "training", token_count: 100 }),
  event("s1", { type: "sampling_prefill", token_count: 40, cached: true }),
  event("s1", { type: "sampling_prefill", token_count: 30, cached: false }),
  event("other", { type: "training", token_count: 1_000_000 }, 90),
];
let later: object[];
/** Of each answer; the last one repeats. */
let invoiced: (string | null)[];

beforeEach(async () => {
  asked = [];
  status = 200;
  later = [
    event("s2", { type: "sampling_sample", token_count: 7 }),
    event("s2", { type: "checkpoint", count: 1 }, null),
  ];
  invoiced = ["2026-11-22T14:00:00Z"];
  server = await serveHere(({ url = "" }, response) => {
    response.setHeader("content-type", "application/json");
    const { pathname, searchParams } = new URL(url, "http://here");
    if (!pathname.endsWith("/billing/usage/events")) return response.end("{}");
    asked.push(searchParams);
    response.statusCode = status;
    const data = asked.length === 1 ? FIRST : later;
    const through = invoiced[asked.length - 1] ?? invoiced.at(-1);
    return response.end(JSON.stringify({ data, cost_data_through: through }));
  });
  vi.stubEnv("TINKER_BASE_URL", server.url);
  vi.stubEnv("TINKER_API_KEY", "tml-billing-test-key");
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
});

/** A run that began `ms` ago, with an attempt for each of these models. */
async function ranFor(ms: number, models: readonly string[]): Promise<void> {
  const timeMs = Date.now() - ms;
  const lines = models.map((model_id, i) => ({
    timeMs,
    attempt: i + 1,
    step: 0,
    level: "info",
    kind: "run-started",
    message: "",
    data: { model_id },
  }));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await writeFile(join(folder, "events.jsonl"), text);
}

function billed() {
  const files = fileSystem.within(folder);
  return billedRun(files, { runFolder: folder, folder, allowedOrigins: [] });
}

it("adds up the bills of the sessions of all attempts, in time spans allowed per request", async () => {
  await ranFor(20 * DAY_MS, ["s1:train:0", "s2:train:0"]);
  expect(await billed()).toEqual({
    tokens: { trained: 100, prefill_cached: 40, prefill_uncached: 30, sampled: 7 },
    costUsd: 2,
    invoicedUntil: "2026-11-22T14:00:00Z",
  });
  const bounds = asked.map((query) =>
    [query.get("starting_on"), query.get("ending_before")].map((at) => Date.parse(at ?? "")),
  );
  expect(bounds).toHaveLength(2);
  for (const [from = 0, to = 0] of bounds) {
    expect([from % HOUR_MS, to % HOUR_MS]).toEqual([0, 0]);
    expect(to - from).toBeLessThanOrEqual(14 * DAY_MS);
  }
  expect(bounds[0]?.[1]).toBe(bounds[1]?.[0]);
});

it("includes the session of the final evaluation", async () => {
  await ranFor(20 * DAY_MS, ["s1:train:0"]);
  const path = join(folder, "events.jsonl");
  const place = { timeMs: Date.now(), attempt: 1, step: 3, level: "info", message: "" };
  const event = { ...place, kind: "evaluation-session", data: { session_id: "s2" } };
  await appendFile(path, `${JSON.stringify(event)}\n`);
  expect(await billed()).toMatchObject({ tokens: { trained: 100, sampled: 7 }, costUsd: 2 });
});

it("is invoiced until the last time that an answer names", async () => {
  invoiced = ["2026-11-21T00:00:00Z", null];
  await ranFor(20 * DAY_MS, ["s1:train:0", "s2:train:0"]);
  expect(await billed()).toMatchObject({ invoicedUntil: "2026-11-21T00:00:00Z" });
});

it("states no cost if the cost of some tokens is unknown", async () => {
  later = [event("s2", { type: "training", token_count: 1 }, null)];
  await ranFor(20 * DAY_MS, ["s1:train:0", "s2:train:0"]);
  expect(await billed()).toMatchObject({ costUsd: null, tokens: { trained: 101 } });
});

it.each([
  [403, "the role admin or billing"],
  [404, "has no billing list"],
])("reports why there is no bill after status %i", async (given, why) => {
  status = given;
  await ranFor(HOUR_MS, ["s1:train:0"]);
  const error = await billed().catch((reason: unknown) => reason);
  expect(isAppError(error, "no-bill")).toBe(true);
  expect(String(error)).toContain(why);
});

it("sends no request for a local model, without a key, or without a session", async () => {
  await expect(billed()).rejects.toThrow("does not record the sessions");
  await ranFor(HOUR_MS, ["s1:train:0"]);
  vi.stubEnv("TINKER_API_KEY", "");
  await expect(billed()).rejects.toThrow("needs TINKER_API_KEY");
  const config = JSON.stringify({ model_name: "local/tiny-tool" });
  await writeFile(join(folder, "config.resolved.json"), config);
  await expect(billed()).rejects.toThrow("Nothing is billed for local/tiny-tool");
  expect(asked).toEqual([]);
});
