import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { listEnvironments } from "../../src/core/openreward/catalogue.ts";
import { runStreamedJob } from "../../src/core/openreward/streamedJob.ts";
import { resolveTarget } from "../../src/core/openreward/target.ts";
import { EnvironmentWire } from "../../src/core/openreward/wire.ts";
import { REPLY_LIMITS } from "../../src/core/replyLimits.ts";
import { faultReaction } from "../../src/core/rollout/faults.ts";
import { createTinkerHttp } from "../../src/core/tinker/transport/http.ts";
import { WandbRequests } from "../../src/core/tracking/wandb/online/requests.ts";
import { systemClock } from "../../src/node/clock.ts";
import { type ClosableHttpClient, createHttpClient } from "../../src/node/http.ts";
import { downloadHubFile } from "../../src/node/tokenizer/hubDownload.ts";
import { silentLog } from "../fakes/silentLog.ts";

const MIB = 2 ** 20;
/** More than any of the tested limits. */
const OFFERED = 800 * MIB;
/** The capacity of sockets and pipes between the two sides. */
const ON_THE_WAY = 16 * MIB;
const random = { uuid: () => "id", uniform: () => 0.5 };

/** Sends pieces one after the other as long as they are read. */
function pour(response: ServerResponse, piece: Buffer, onSent: (bytes: number) => void): void {
  let sent = 0;
  const more = (): void => {
    while (sent < OFFERED && !response.destroyed) {
      sent += piece.length;
      onSent(sent);
      if (!response.write(piece)) return;
    }
    response.end();
  };
  response.on("drain", more);
  more();
}

let http: ClosableHttpClient;
let baseUrl = "";
let sentBytes = 0;
let status = 200;
let contentType = "application/json";
let piece = Buffer.alloc(0);
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(status, { "content-type": contentType });
  pour(response, piece, (bytes) => {
    sentBytes = Math.max(sentBytes, bytes);
  });
});

beforeEach(async () => {
  http = createHttpClient();
  [sentBytes, status, contentType] = [0, 200, "application/json"];
  piece = Buffer.alloc(64 * 1024, " ");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on a port has an AddressInfo.
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await http.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function wire(): EnvironmentWire {
  return new EnvironmentWire(
    {
      http,
      random,
      baseUrl,
      clock: systemClock,
      log: silentLog,
      apiKey: null,
      userAgent: "test",
    },
    resolveTarget("local/maze", baseUrl),
  );
}

const CALL = {
  request: {
    method: "POST",
    path: "/maze/call",
    sid: "s1",
    isInSession: true,
    body: { name: "look", input: {} },
  },
  isRepeatable: false,
} as const;

describe("an endless answer from an environment ends the rollout before it fills the memory", () => {
  it.each([
    ["one line", "data: ".padEnd(64 * 1024, "x")],
    ["one event", `data: ${"x".repeat(4090)}\n`.repeat(16)],
    ["many small events", `event: note\ndata: ${"x".repeat(4000)}\n\n`.repeat(16)],
    ["pieces of one result", `event: chunk\ndata: ${"x".repeat(4000)}\n\n`.repeat(16)],
    ["comments", `: ${"x".repeat(4000)}\n`.repeat(16)],
  ])("as a stream, %s", async (_, text) => {
    contentType = "text/event-stream";
    piece = Buffer.from(text);
    const error = await runStreamedJob(wire(), CALL).catch((fault: unknown) => fault);
    expectTooLong(error);
  });

  it.each([200, 404, 500])("as a plain reply with status %d", async (code) => {
    status = code;
    const request = {
      method: "GET",
      path: "/maze/prompt",
      sid: "s1",
      isInSession: true,
    } as const;
    const reply = wire().fetchJson(request, { repeat: "always", schema: z.unknown() });
    expectTooLong(await reply.catch((fault: unknown) => fault));
  });

  function expectTooLong(error: unknown): void {
    expect(error).toMatchObject({
      code: "environment-reply-too-long",
      message: expect.stringMatching(/local\/maze, (GET|POST) \/maze\/\w+: .*64 MiB.*\. \w/s),
    });
    expect(faultReaction(error)).toBe("fail");
    expect(sentBytes).toBeLessThan(REPLY_LIMITS.environment + ON_THE_WAY);
  }
});

describe("an endless answer is rejected", () => {
  it("from the Tinker service", async () => {
    const tinker = createTinkerHttp({
      http,
      random,
      baseUrl,
      clock: systemClock,
      log: silentLog,
      apiKey: "tml-0123456789",
      billingPauseMs: () => 0,
    });
    const answer = tinker.call({ method: "GET", path: "models" }, z.unknown());
    await expect(answer).rejects.toMatchObject({ code: "tinker-protocol" });
    expect(sentBytes).toBeLessThan(REPLY_LIMITS.tinker + ON_THE_WAY);
  });

  it("from Weights & Biases", async () => {
    const { signal } = new AbortController();
    const wandb = new WandbRequests({
      http,
      random,
      baseUrl,
      clock: systemClock,
      signal,
      retryNow: signal,
      apiKey: "0123456789",
      userAgent: "test",
      onOutage: () => undefined,
      onAnswer: () => undefined,
    });
    const answer = wandb.post({ path: "/graphql", body: "{}", timeoutMs: 60_000 });
    await expect(answer).rejects.toMatchObject({ code: "wandb-refused" });
    expect(sentBytes).toBeLessThan(REPLY_LIMITS.wandb + ON_THE_WAY);
  });

  it("from the model hub", async () => {
    const place = { id: "org/model", revision: "main", file: "tokenizer.json" };
    const file = downloadHubFile({ http, endpoint: baseUrl, token: null }, place);
    await expect(file).rejects.toMatchObject({
      code: "tokenizer-download",
      message: expect.stringContaining("MiB"),
    });
    expect(sentBytes).toBeLessThan(REPLY_LIMITS.hubFile + ON_THE_WAY);
  });

  it("from the environment catalogue", async () => {
    const options = { http, apiUrl: baseUrl, apiKey: null, userAgent: "test" };
    await expect(listEnvironments(options, 1)).rejects.toMatchObject({
      code: "environment-protocol",
    });
    expect(sentBytes).toBeLessThan(REPLY_LIMITS.catalogue + ON_THE_WAY);
  });

  it("from any other server", async () => {
    const response = await http.send({ method: "GET", url: baseUrl });
    await expect(response.bytes()).rejects.toMatchObject({
      code: "transport",
      data: { reason: expect.stringContaining("MiB") },
    });
    expect(sentBytes).toBeLessThan(REPLY_LIMITS.other + ON_THE_WAY);
  });
});
