/** Every fault of the service in each phase of a call: what is sent again, after which pauses, and how it ends. */

import { describe, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import type { HttpRequest } from "../../../src/core/ports.ts";
import { faultReaction } from "../../../src/core/rollout/faults.ts";
import {
  isSessionLost,
  operationRefused,
  requestFailed,
} from "../../../src/core/tinker/transport/errors.ts";
import type { FakeReply } from "../../fakes/fakeHttp.ts";
import { ADAM, fakeTinker, seqIdOf } from "../../fakes/fakeTinker.ts";

const busy: FakeReply = { json: { type: "try_again", queue_state: "active" } };
const failed: FakeReply = { json: { error: "boom", category: "server" } };
const detail = { detail: "because" };

interface Row {
  readonly fault: string;
  /** Comes `times` times before the server answers as it should; for ever if absent. */
  readonly reply: FakeReply;
  readonly times?: number;
  readonly requests: number;
  readonly elapsedMs: number;
  /** Absent = the call succeeds. */
  readonly code?: string;
}

type Path = "optim_step" | "asample" | "retrieve_future";

/** Runs `call` with faults injected at one path, and returns what was sent there. */
async function play(row: Row, path: Path, call: "step" | "sample") {
  let left = Number.POSITIVE_INFINITY;
  const server = fakeTinker((to) => (to === path && left-- > 0 ? row.reply : undefined));
  left = 0;
  const service = await server.connect();
  const model = await service.createTrainingClient({ baseModel: "org/model", rank: 8 });
  const sampler = await model.ephemeralSampler();
  const before = server.requestsTo(path).length;
  const startedAtMs = server.clock.monotonic();
  left = row.times ?? Number.POSITIVE_INFINITY;
  const running: Promise<unknown> =
    call === "step"
      ? model.optimStep(ADAM)
      : sampler.sample({ prompt: [1], maxTokens: 2, temperature: 1, topK: -1, topP: 1 });
  const code = await server.clock.run(running).then(
    () => undefined,
    (error: unknown) => (isAppError(error) ? error.code : "unknown"),
  );
  return {
    sent: server.requestsTo(path).slice(before),
    elapsedMs: server.clock.monotonic() - startedAtMs,
    code,
  };
}

const final = (status: number, code: string): Row => ({
  fault: `${status}`,
  reply: { status, json: detail },
  requests: 1,
  elapsedMs: 0,
  code,
});

const refusals: readonly Row[] = [
  final(401, "tinker-auth"),
  final(403, "tinker-auth"),
  final(404, "tinker-not-found"),
  final(413, "tinker-bad-request"),
  final(422, "tinker-bad-request"),
];

function twice(fault: string, reply: FakeReply, elapsedMs: number): Row {
  return { fault, reply, times: 2, requests: 3, elapsedMs };
}

const submits: readonly Row[] = [
  ...refusals,
  final(400, "tinker-bad-request"),
  final(409, "tinker-conflict"),
  twice("408", { status: 408, json: detail }, 500 + 1000),
  twice("425", { status: 425, json: detail }, 500 + 1000),
  twice("500", { status: 500 }, 500 + 1000),
  twice("503 with a requested wait", { status: 503, headers: { "retry-after": "3" } }, 3000 + 3000),
  twice("504", { status: 504 }, 500 + 1000),
  twice("402", { status: 402, json: detail }, 5000 + 5000),
  twice("a lost answer", "lost", 500 + 1000),
];

const polls: readonly Row[] = [
  ...refusals,
  { ...final(400, "tinker-request-failed"), requests: 4 },
  {
    fault: "a failed operation",
    reply: failed,
    requests: 1,
    elapsedMs: 0,
    code: "tinker-request-failed",
  },
  twice("a try_again at once", busy, 250 + 500),
  twice("a 408 at once", { status: 408, json: {} }, 250 + 500),
  twice("500 at once", { status: 500 }, 250 + 500),
  twice("504 at once", { status: 504 }, 250 + 500),
  twice("429", { status: 429 }, 1000 + 2000),
  twice("400 without a length", { status: 400, headers: { "content-length": "0" } }, 1000 + 2000),
  twice("402", { status: 402, json: detail }, 5000 + 5000),
  twice("a lost answer", "lost", 1000 + 2000),
];

/** All requests of a row are the same request but for the poll's number. */
function expectSame(sent: readonly HttpRequest[]): void {
  for (const request of sent) {
    expect(request.body).toEqual(sent[0]?.body);
    expect(seqIdOf(request)).toBe(seqIdOf(sent[0] ?? request));
  }
}

function expectRow(row: Row, played: Awaited<ReturnType<typeof play>>): void {
  expect({ requests: played.sent.length, elapsedMs: played.elapsedMs, code: played.code }).toEqual({
    requests: row.requests,
    elapsedMs: row.elapsedMs,
    code: row.code,
  });
  expectSame(played.sent);
}

describe("a fault of a training submit", () => {
  const gone = final(410, "tinker-expired");
  const many = twice("429", { status: 429 }, 500 + 1000);
  it.each([...submits, gone, many])("$fault: $requests requests in $elapsedMs ms", async (row) => {
    const played = await play(row, "optim_step", "step");
    expectRow(row, played);
    const keys = played.sent.map((request) => request.headers?.["X-Idempotency-Key"]);
    expect(new Set(keys).size).toBe(1);
  });

  it("ends after five minutes", async () => {
    const row = { fault: "503", reply: { status: 503 }, requests: 0, elapsedMs: 0 };
    const { code, elapsedMs, sent } = await play(row, "optim_step", "step");
    expect(code).toBe("tinker-unavailable");
    expect(elapsedMs).toBe(500 + 1000 + 2000 + 4000 + 8000 + 10_000 * 28);
    expectSame(sent);
  });
});

describe("a fault of a sample's submit", () => {
  const many = twice("429", { status: 429 }, 1000 + 1000);
  const requestedWait = twice(
    "429 with a requested wait",
    { status: 429, headers: { "retry-after-ms": "40" } },
    80,
  );
  it.each([...submits, many, requestedWait])(
    "$fault: $requests requests in $elapsedMs ms",
    async (row) => {
      expectRow(row, await play(row, "asample", "sample"));
    },
  );

  it("410: is submitted again under another number", async () => {
    const gone = { ...twice("410", { status: 410 }, 0), times: 1 };
    const { sent, code } = await play(gone, "asample", "sample");
    expect(sent.map(seqIdOf)).toEqual([0, 1]);
    expect(code).toBeUndefined();
  });
});

describe("a fault of a poll", () => {
  const gone = final(410, "tinker-expired");
  it.each([...polls, gone])("$fault: $requests polls of a step in $elapsedMs ms", async (row) => {
    expectRow(row, await play(row, "retrieve_future", "step"));
  });

  it.each(polls)("$fault: $requests polls of a sample in $elapsedMs ms", async (row) => {
    expectRow(row, await play(row, "retrieve_future", "sample"));
  });

  it.each([
    ["500", { status: 500 }],
    ["429", { status: 429 }],
    ["a lost answer", "lost"],
  ] as const)("%s: ends after a quarter of an hour", async (fault, reply) => {
    const row = { fault, reply, requests: 0, elapsedMs: 0 };
    const { code, elapsedMs } = await play(row, "retrieve_future", "step");
    expect(code).toBe("tinker-unavailable");
    expect(elapsedMs).toBeGreaterThan(15 * 60_000 - 30_000);
    expect(elapsedMs).toBeLessThan(15 * 60_000 + 30_000);
  });

  it("402: ends after the hour that the server grants by default", async () => {
    const row = { fault: "402", reply: { status: 402 }, requests: 0, elapsedMs: 0 };
    const { code, elapsedMs } = await play(row, "retrieve_future", "sample");
    expect(code).toBe("tinker-billing");
    expect(elapsedMs).toBe(3_600_000);
  });
});

/** What SkyRL says of a model that it has unloaded, or had before it was restarted: skyrl/tinker/engine.py. */
const UNLOADED = [
  "Model model_1a2b3c4d not loaded",
  "Model model_1a2b3c4d not loaded (likely stale request from previous server)",
];

describe.each(UNLOADED)("an operation that fails because its %s", (text) => {
  it.each([
    ["by the answer to its polls", operationRefused("Sample 7", JSON.stringify({ detail: text }))],
    ["by its result", requestFailed("OptimStep 8", text, "server")],
  ])(
    "shows that the session is lost, %s, instead of failing rollouts one after the other",
    (_, error) => {
      expect(faultReaction(error)).toBe("end-run");
      expect(isSessionLost(error)).toBe(true);
      expect(error.message).toContain(
        `${text}. Start again; a run is resumed from its last checkpoint.`,
      );
    },
  );
});

it("an operation that fails for another reason says nothing about the session", () => {
  const error = operationRefused("Sample 7", JSON.stringify({ detail: "Adapter not loaded yet" }));
  expect([faultReaction(error), isSessionLost(error)]).toEqual(["retry", false]);
});
