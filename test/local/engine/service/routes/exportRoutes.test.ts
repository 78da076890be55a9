import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { FakeClock } from "../../../../fakes/fakeClock.ts";
import { folderOfEachTest } from "../../../../fakes/onDisk.ts";
import { ADAPTER, type ExportingService, startExportingService } from "../exportingService.ts";
import { createServiceClient, type ServiceClient } from "../serviceClient.ts";

const KEY = "tml-local-key";
const HOUR_MS = 3_600_000;
const WEIGHTS = "adapter_model.safetensors";
const signedSchema = z.object({ urls: z.record(z.string(), z.url()), expires: z.string() });

const folder = folderOfEachTest();
let clock: FakeClock;
let service: ExportingService;
let client: ServiceClient;

beforeEach(async () => {
  clock = new FakeClock();
  service = await startExportingService({ folder, clock, key: KEY });
  client = service.client;
});
afterEach(async () => {
  await service.close();
});

function exportAs(name: string, more: object = {}): ReturnType<ServiceClient["submit"]> {
  const body = { model_id: service.modelId, path: name, seq_id: 1, ttl_seconds: 3600, ...more };
  return client.submit("/save_weights_external", body);
}

const urlsPath = (name: string): string =>
  `/training_runs/${service.modelId}/checkpoints/external_weights/${name}/external_weights_urls`;

async function signed(name = "mine"): Promise<z.output<typeof signedSchema>> {
  return signedSchema.parse((await client.call("GET", urlsPath(name))).body);
}

async function signedUrl(): Promise<string> {
  await exportAs("mine");
  return (await signed()).urls[WEIGHTS] ?? "";
}

/** Bytes in a complete answer. */
async function whole(url: string): Promise<{ readonly bytes: Buffer; readonly etag: string }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { bytes, etag: response.headers.get("etag") ?? "" };
}

describe("exported weights", () => {
  it("are files at signed addresses, which need no key", async () => {
    expect(await exportAs("mine")).toEqual({
      type: "save_weights_external",
      path: `tinker://${service.modelId}/external_weights/mine`,
      size_bytes: ADAPTER.length,
    });
    const { urls, expires } = await signed();
    expect(Object.keys(urls).sort()).toEqual(["adapter_config.json", WEIGHTS]);
    expect(Date.parse(expires)).toBe(clock.now() + HOUR_MS);
    expect((await whole(urls[WEIGHTS] ?? "")).bytes.length).toBe(ADAPTER.length);
    expect(Object.values(urls).join()).not.toContain(KEY);
  });

  it("have no addresses for clients without the key", async () => {
    await exportAs("mine");
    const { status } = await createServiceClient(service.address).call("GET", urlsPath("mine"));
    expect(status).toBe(401);
  });

  it("continue from a byte offset if the file is unchanged", async () => {
    const url = await signedUrl();
    const { bytes, etag } = await whole(url);
    const ask = (headers: Record<string, string>): Promise<Response> => fetch(url, { headers });
    const rest = await ask({ range: "bytes=100-", "if-range": etag });
    expect(rest.status).toBe(206);
    expect(rest.headers.get("content-range")).toBe(`bytes 100-${bytes.length - 1}/${bytes.length}`);
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(100))).toBe(true);
    const other = await ask({ range: "bytes=100-", "if-range": '"other"' });
    expect(other.status).toBe(200);
    expect(Buffer.from(await other.arrayBuffer()).equals(bytes)).toBe(true);
    const beyond = await ask({ range: `bytes=${bytes.length}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
  });

  it("are refused for a changed or expired address", async () => {
    const url = await signedUrl();
    const status = async (changed: string): Promise<number> => (await fetch(changed)).status;
    const later = encodeURIComponent(new Date(clock.now() + 10 * HOUR_MS).toISOString());
    const old = (await signed()).expires;
    expect(await status(url.replace(encodeURIComponent(old), later))).toBe(403);
    expect(await status(url.replace(WEIGHTS, "adapter_config.json"))).toBe(403);
    expect(await status(url.replace("/mine/", "/other/"))).toBe(403);
    expect(await status(url.replace(/&signature=.*/, ""))).toBe(403);
    expect(await status(url)).toBe(200);
    // The files outlive the address.
    const ttl = urlsPath("mine").replace("external_weights_urls", "ttl");
    expect((await client.call("PUT", ttl, { ttl_seconds: null })).status).toBeLessThan(300);
    await clock.advance(HOUR_MS + 1);
    expect(await status(url)).toBe(403);
    expect(await status((await signed()).urls[WEIGHTS] ?? "")).toBe(200);
  });

  it("are gone after they are deleted or expire, even with a valid address", async () => {
    const url = await signedUrl();
    const path = urlsPath("mine").replace("/external_weights_urls", "");
    expect((await client.call("DELETE", path)).status).toBeLessThan(300);
    expect((await fetch(url)).status).toBe(404);
    expect((await client.call("GET", urlsPath("mine"))).status).toBe(404);
    await exportAs("short", { seq_id: 2, ttl_seconds: 60 });
    const second = (await signed("short")).urls[WEIGHTS] ?? "";
    await clock.advance(61_000);
    expect((await fetch(second)).status).toBe(404);
  });

  it("are refused when encrypted, under an existing name, and under one that leads elsewhere", async () => {
    const encrypted = await exportAs("mine", { age_encryption_recipients: ["age1x"] });
    expect(encrypted).toMatchObject({ error: expect.stringContaining("does not encrypt") });
    await exportAs("taken", { seq_id: 2 });
    expect(await exportAs("taken", { seq_id: 3 })).toMatchObject({
      error: expect.stringContaining("ResourceAlreadyExists"),
    });
    expect(await exportAs("../up", { seq_id: 4 })).toHaveProperty("error");
    expect((await client.call("GET", urlsPath("..%2F..%2Fx"))).status).toBe(400);
  });
});
