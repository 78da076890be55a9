/** Every service fault in each phase of a call: what is retried, after which delays, and how it ends. */

import { describe, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { faultReaction } from "../../../src/core/rollout/faults.ts";
import {
  isSessionLost,
  operationRefused,
  requestFailed,
} from "../../../src/core/tinker/transport/errors.ts";
import { ADAM } from "../../fakes/fakeTinker.ts";
import { FAULT_CASES } from "./faults/faultCases.ts";
import { type Call, FAULT_ROWS, type FaultRow } from "./faults/faultRows.ts";
import {
  type Arrival,
  type FaultSession,
  SAMPLE,
  withFaultSession,
} from "./faults/faultSession.ts";

const SUBMITS: Readonly<Record<Call, string>> = {
  step: "optim_step",
  sample: "asample",
  create: "create_model",
};

function begin({ model, sampler, service }: FaultSession, call: Call): Promise<unknown> {
  if (call === "step") return model.optimStep(ADAM);
  if (call === "sample") return sampler.sample(SAMPLE);
  return service.createTrainingClient({ baseModel: "org/model", rank: 8 });
}

/** The requests that a row concerns: the submits of a call, or the polls of its result. */
function isAbout({ path, json }: Arrival, call: Call, phase: FaultRow["phase"]): boolean {
  if (phase === "submit") return path === SUBMITS[call];
  return path === "retrieve_future" && String(json?.["request_id"]).startsWith(SUBMITS[call]);
}

async function play(row: FaultRow, call: Call) {
  const { replies, isEndless, config = {}, phase } = row;
  return await withFaultSession(config, async (session) => {
    let count = 0;
    session.inject((arrival) => {
      if (!isAbout(arrival, call, phase)) return undefined;
      const index = isEndless ? Math.min(count, replies.length - 1) : count;
      count += 1;
      return replies[index];
    });
    const startedAtMs = session.clock.monotonic();
    const error = await session.run(begin(session, call)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const sent = session.arrivals().filter((arrival) => isAbout(arrival, call, phase));
    return { error, pausesMs: session.clock.monotonic() - startedAtMs, sent };
  });
}

const rows = FAULT_ROWS.flatMap((row) =>
  row.calls.map((call) => {
    const requests = row.requests ?? row.replies.length + 1;
    const title = `${row.phase} of a ${call}, ${row.fault}: ${requests} requests, ${row.pausesMs} ms of pauses`;
    return [title, { row, call, requests }] as const;
  }),
);

describe.concurrent("each row of the tables", () => {
  it.for(rows)("%s", async ([, { row, call, requests }]) => {
    const { error, pausesMs, sent } = await play(row, call);
    const code = isAppError(error) ? error.code : error;
    expect({ code, pausesMs, requests: sent.length }).toEqual({
      code: row.code,
      pausesMs: row.pausesMs,
      requests,
    });
    if (row.data !== undefined) expect(error).toMatchObject({ data: row.data });
    // A retry is identical to the byte, and all attempts of a submit share its idempotency key.
    expect(new Set(sent.map(({ body }) => body.toString("hex"))).size).toBe(1);
    const keys = new Set(sent.map(({ headers }) => headers["x-idempotency-key"]));
    if (row.phase === "submit") expect(keys.size).toBe(1);
  });
});

describe.each(Object.entries(FAULT_CASES))("%s", (_, cases) => {
  const named = cases.map((each) => [`${each.row}: ${each.name}`, each] as const);
  it.each(named)("%s", async (_title, { work, config = {} }) => {
    await withFaultSession(config, work);
  });
});

/** SkyRL's errors for a model that it unloaded or lost in a restart: skyrl/tinker/engine.py. */
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

it("an operation that fails for another reason does not end the session", () => {
  const error = operationRefused("Sample 7", JSON.stringify({ detail: "Adapter not loaded yet" }));
  expect([faultReaction(error), isSessionLost(error)]).toEqual(["retry", false]);
});
