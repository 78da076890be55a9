/** Our Tinker client against injected faults: each row of the wire's tables of errors, retries and polls. */

import { describe, expect, it } from "vitest";
import { isAppError } from "../../src/core/errors.ts";
import { ADAM } from "../fakes/fakeTinker.ts";
import { type FaultSession, SAMPLE, withFaultSession } from "./faultSession.ts";
import type { Arrival, Fault, OpenTransport } from "./faultTransport.ts";
import { addTally } from "./tally.ts";
import { FAULT_CASES } from "./tinkerFaultCases.ts";
import { type Call, FAULT_ROWS, type FaultRow } from "./tinkerFaultRows.ts";

const SUBMITS: Readonly<Record<Call, string>> = {
  step: "optim_step",
  sample: "asample",
  create: "create_model",
};
/** Shortens 45 s to 3 s: even a busy machine answers within that. */
const HASTE = 15;

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

async function play(open: OpenTransport, row: FaultRow, call: Call) {
  const { replies, isEndless, config = {}, phase } = row;
  const haste = replies.includes("hang") ? HASTE : 1;
  return await withFaultSession({ open, config, haste }, async (session) => {
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

/** The tests of all rows except those with the faults `without`, over the transport opened by `open`. */
export function testFaults(open: OpenTransport, without: readonly Fault[] = []): void {
  const played = rows.filter(
    ([, { row }]) => !row.replies.some((fault) => without.includes(fault)),
  );
  describe.concurrent("each row of the tables", () => {
    it.for(played)("%s", async ([, { row, call, requests }], context) => {
      context.task.meta.row = row.row;
      const explained = row.explained === undefined ? [] : [row.explained];
      addTally(context, { checks: 1, differences: [], explained });
      const { error, pausesMs, sent } = await play(open, row, call);
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
    const named = cases.map((each) => [each.name, each] as const);
    it.for(named)("%s", async ([, { row, work, config = {} }], { task }) => {
      task.meta.row = row;
      await withFaultSession({ open, config }, work);
    });
  });
}
