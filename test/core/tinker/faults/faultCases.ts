/** Our Tinker client against injected faults: the rows of the wire tables that take more than a list of faults. */

import { expect } from "vitest";
import { ADAM } from "../../../fakes/fakeTinker.ts";
import { type Fault, type FaultSession, SAMPLE } from "./faultSession.ts";

/** A test that plays a row. */
export interface FaultCase {
  readonly row: string;
  readonly name: string;
  readonly work: (session: FaultSession) => Promise<void>;
  /** Flags of the server. */
  readonly config?: object;
}

function plays(row: string, name: string, work: FaultCase["work"], config: object = {}): FaultCase {
  return { row, name, work, config };
}

const LOST: Fault = { status: 410, json: { detail: "expired" } };
const VALIDATION = { loc: ["body", "rank"], msg: "not positive", type: "value_error" };
const BUSY: Fault = { status: 429, json: { detail: "slow down" } };

/** Answers the first requests to a path, one reply each; then the server answers normally. */
function first({ inject }: FaultSession, path: string, ...replies: readonly Fault[]): void {
  let count = 0;
  inject((arrival) => (arrival.path === path ? replies[count++] : undefined));
}

function sentTo({ arrivals }: FaultSession, path: string) {
  return arrivals().filter((arrival) => arrival.path === path);
}

function numbersOf(session: FaultSession): readonly unknown[] {
  return sentTo(session, "asample").map(({ json }) => json?.["seq_id"]);
}

const SUBMITS: readonly FaultCase[] = [
  plays(
    "2.1 401 with invalid_token",
    "buys one new token and sends the request again",
    async (session) => {
      const headers = { "www-authenticate": 'Bearer error="invalid_token"' };
      first(session, "optim_step", { status: 401, headers });
      await session.run(session.model.optimStep(ADAM));
      const [before, after, ...others] = sentTo(session, "optim_step");
      expect(others).toEqual([]);
      expect(after?.body).toEqual(before?.body);
      expect(after?.headers["x-api-key"]).not.toBe(before?.headers["x-api-key"]);
      expect(sentTo(session, "auth/token")).toMatchObject([
        { headers: { "x-api-key": "tml-secret" } },
      ]);
    },
    { pjwt_auth_enabled: true },
  ),

  ...(
    [
      ["a text", { json: { detail: "rank is bad" } }, "rank is bad"],
      ["a list", { json: { detail: [VALIDATION] } }, "body.rank not positive"],
      ["other JSON", { json: { message: "no" } }, '{"message":"no"}'],
      ["no JSON", { text: "<html>" }, "<html>"],
    ] as const
  ).map(([body, reply, words]) =>
    plays("2.1 error bodies", `quotes ${body}`, async (session) => {
      first(session, "optim_step", { status: 422, ...reply });
      await expect(session.run(session.model.optimStep(ADAM))).rejects.toMatchObject({
        message: expect.stringContaining(words),
      });
    }),
  ),

  plays("2.1 410", "submits a lost sample anew, under a new number", async (session) => {
    first(session, "asample", LOST);
    await session.run(session.sampler.sample(SAMPLE));
    expect(numbersOf(session)).toEqual([0, 1]);
  }),

  plays("2.3 get_info, REST and finish too", "asks for a listing again", async (session) => {
    const path = "training_runs/S:train:0/checkpoints";
    first(session, path, { status: 503 }, "lost", { json: { checkpoints: [] } });
    await expect(session.run(session.service.listCheckpoints("S:train:0"))).resolves.toEqual([]);
    expect(sentTo(session, path).map(({ atMs }) => atMs)).toEqual([0, 500, 1500]);
  }),

  plays("2.5 conflict on save", "takes the first 409 for a taken name", async (session) => {
    first(session, "save_weights", { status: 409, json: { detail: "exists" } });
    await expect(session.run(session.model.saveState("a"))).rejects.toMatchObject({
      code: "tinker-conflict",
    });
    expect(sentTo(session, "save_weights")).toHaveLength(1);
  }),

  plays("2.5 conflict on save", "accepts the checkpoint of its own lost try", async (session) => {
    const saved = "tinker://S:train:0/weights/a";
    const replies: readonly Fault[] = ["lost", { status: 409, json: { detail: "exists" } }];
    let count = 0;
    session.inject(({ path }) => {
      if (path === "save_weights") return replies[count++];
      if (!path.endsWith("/checkpoints")) return undefined;
      return { json: { checkpoints: [{ tinker_path: saved, checkpoint_type: "training" }] } };
    });
    await expect(session.run(session.model.saveState("a"))).resolves.toEqual({ path: saved });
  }),
];

const POLLS: readonly FaultCase[] = [
  plays("3.1 1 protobuf", "asks for a binary result, and reads it", async (session) => {
    session.inject(() => undefined);
    const { tokens } = await session.run(session.sampler.sample(SAMPLE));
    expect(tokens).toEqual(Int32Array.of(11, 12));
    const [poll, ...others] = sentTo(session, "retrieve_future");
    expect(others).toEqual([]);
    expect(poll?.headers).toMatchObject({
      accept: expect.stringContaining("application/x-protobuf"),
      "x-tinker-request-type": "Sample",
      "x-tinker-request-iteration": "0",
    });
  }),

  ...(
    [
      [200, "3.1 2 try_again"],
      [408, "3.2 408"],
    ] as const
  ).map(([status, row]) =>
    plays(row, `reports a pause that lasts (${status})`, async (session) => {
      const json = {
        type: "try_again",
        queue_state: "paused_capacity",
        queue_state_reason: "workers",
      };
      first(session, "retrieve_future", ...Array<Fault>(12).fill({ status, json }));
      await session.run(session.model.optimStep(ADAM));
      expect(session.messages).toEqual([
        "It has paused requests (it has no capacity at present: workers). They continue by themselves.",
        "It continues with requests.",
      ]);
    }),
  ),

  plays("3.1 3 complete_metadata", "asks for the announced result at once", async (session) => {
    first(session, "retrieve_future", {
      json: { status: "complete_metadata", response_payload_size: 7_340_032 },
    });
    await session.run(session.sampler.sample(SAMPLE));
    const polls = sentTo(session, "retrieve_future");
    expect(polls.map(({ json }) => json?.["allow_metadata_only"])).toEqual([true, false]);
    expect(polls.map(({ atMs }) => atMs)).toEqual([0, 0]);
  }),

  ...(
    [
      ["user", "user"],
      ["server", "server"],
      ["unknown", "unknown"],
      ["Cosmic", "unknown"],
    ] as const
  ).map(([given, category]) =>
    plays("3.1 4 error", `fails once, by the category ${given}`, async (session) => {
      first(session, "retrieve_future", { json: { error: "NonFiniteInTensor", category: given } });
      await expect(session.run(session.sampler.sample(SAMPLE))).rejects.toMatchObject({
        code: "tinker-request-failed",
        data: { category, detail: "NonFiniteInTensor" },
      });
      expect(sentTo(session, "asample")).toHaveLength(1);
    }),
  ),

  plays("3.1 5 otherwise", "takes any other JSON for the result", async (session) => {
    first(session, "retrieve_future", { json: { metrics: { "grad_norm:mean": 0.42 } } });
    await expect(session.run(session.model.optimStep(ADAM))).resolves.toEqual({
      metrics: { "grad_norm:mean": 0.42 },
    });
  }),

  plays("3.2 410", "submits a lost sample anew, under a new number", async (session) => {
    first(session, "retrieve_future", LOST);
    await session.run(session.sampler.sample(SAMPLE));
    expect(numbersOf(session)).toEqual([0, 1]);
    // Half a second plus a quarter: the test's random numbers are 0, which subtract nothing.
    expect(sentTo(session, "asample").map(({ atMs }) => atMs)).toEqual([0, 625]);
  }),

  plays(
    "3.3 retrieve_futures",
    "polls each sample by itself where the server would report all",
    async (session) => {
      session.inject(() => undefined);
      await session.run(Promise.all([1, 2].map(() => session.sampler.sample(SAMPLE))));
      expect(sentTo(session, "retrieve_futures")).toEqual([]);
      expect(sentTo(session, "retrieve_future")).toHaveLength(2);
    },
    { sample_use_retrieve_futures: true },
  ),

  plays("3.4 cancel_future", "reports an abandoned sample, again when refused", async (session) => {
    await abandon(session, { sample_cancel_enabled: true });
    const asked = sentTo(session, "cancel_future").map(({ json }) => json?.["request_id"]);
    expect(asked).toEqual(["asample-2", "asample-2"]);
  }),

  plays("3.4 cancel_future", "keeps silent where the server does not ask", async (session) => {
    await abandon(session, { sample_cancel_enabled: false });
    expect(sentTo(session, "cancel_future")).toEqual([]);
  }),
];

/** Starts a sample that does not finish, cancels it, and lets two seconds pass; the first cancellation is rejected. */
async function abandon(session: FaultSession, dynamicConfig: object): Promise<void> {
  const pending: Fault = { status: 408, json: { type: "try_again", queue_state: "active" } };
  const refusals: Fault[] = [{ status: 503 }];
  session.inject(({ path }) => {
    if (path === "client/dynamic_config") return { json: dynamicConfig };
    if (path === "cancel_future") return refusals.pop() ?? { status: 204 };
    return path === "retrieve_future" ? pending : undefined;
  });
  const controller = new AbortController();
  const sample = session.sampler.sample(SAMPLE, { signal: controller.signal });
  const abandoned = expect(sample).rejects.toThrow();
  await session.rest();
  controller.abort();
  await abandoned;
  await session.run(session.clock.sleep(2000));
}

const UNREPEATED: readonly FaultCase[] = [
  ...(
    [
      ["a lost answer", "lost"],
      ["503", { status: 503 }],
      ["404", { status: 404 }],
    ] as const
  ).map(([name, fault]) =>
    plays("2.2 no inner retries", `a heartbeat after ${name}`, async (session) => {
      const startedAtMs = session.clock.monotonic();
      session.inject(({ path }) => (path === "session_heartbeat" ? fault : undefined));
      await session.run(session.clock.sleep(35_000));
      const beats = sentTo(session, "session_heartbeat").map(({ atMs }) => atMs - startedAtMs);
      expect(beats).toEqual([10_000, 20_000, 30_000]);
    }),
  ),

  plays("2.1 410 on a heartbeat", "ends the heartbeats and all new work", async (session) => {
    first(session, "session_heartbeat", LOST);
    await session.run(session.clock.sleep(35_000));
    expect(sentTo(session, "session_heartbeat")).toHaveLength(1);
    await expect(session.sampler.sample(SAMPLE)).rejects.toMatchObject({ code: "tinker-expired" });
  }),
];

const BUSY_SERVICE: readonly FaultCase[] = [
  ...(
    [
      ["a short prompt", 1, BUSY, 1000],
      ["a prompt of more than 128 KiB", 14_000, BUSY, 5000],
      ["a requested wait", 1, { ...BUSY, headers: { "retry-after": "3" } }, 3000],
    ] as const
  ).map(([prompt, tokens, reply, pauseMs]) => {
    const name = `holds all samples for ${pauseMs} ms after ${prompt}, and sends the same number again`;
    return plays("7.4 429 from asample", name, async (session) => {
      first(session, "asample", reply);
      const request = { ...SAMPLE, prompt: Array.from({ length: tokens }, () => 1) };
      const refused = session.sampler.sample(request);
      await session.rest();
      const other = session.sampler.sample(SAMPLE);
      await session.run(Promise.all([refused, other]));
      const sent = sentTo(session, "asample").map(({ atMs, json }) => [json?.["seq_id"], atMs]);
      expect(sent[0]).toEqual([0, 0]);
      expect(sent.slice(1).sort()).toEqual([
        [0, pauseMs],
        [1, pauseMs],
      ]);
    });
  }),

  plays(
    "7.4 sample_no_retries",
    "lets a lost sample be lost",
    async (session) => {
      first(session, "retrieve_future", LOST);
      await expect(session.run(session.sampler.sample(SAMPLE))).rejects.toMatchObject({
        code: "tinker-expired",
      });
      expect(sentTo(session, "asample")).toHaveLength(1);
    },
    { sample_no_retries: true },
  ),

  plays("7.4 gives up after 120 min", "without any finished sample", async (session) => {
    session.inject(({ path }) => (path === "retrieve_future" ? LOST : undefined));
    await expect(session.run(session.sampler.sample(SAMPLE))).rejects.toMatchObject({
      code: "tinker-expired",
    });
    expect(session.clock.monotonic()).toBeGreaterThan(120 * 60_000);
    expect(session.clock.monotonic()).toBeLessThan(121 * 60_000);
  }),
];

export const FAULT_CASES = {
  "answers to a submit": SUBMITS,
  "answers to a poll": POLLS,
  "what is never repeated": UNREPEATED,
  "a service that is busy with samples": BUSY_SERVICE,
};
