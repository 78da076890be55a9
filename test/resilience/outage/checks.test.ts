/** Verifies that each check of the outage test can fail, because a passing test proves nothing otherwise. */

import { afterEach, describe, expect, it } from "vitest";
import { encodeForwardBackwardRequest } from "../../../src/core/tinker/wire/forwardBackwardProto.ts";
import { FakeWandbServer } from "../../core/tracking/wandb/fakeWandbServer.ts";
import { type Played, runChecks } from "./checks.ts";
import type { Outcome } from "./outcome.ts";
import { TrainingRequests } from "./trainingRequests.ts";
import { UploadGateway } from "./uploadGateway.ts";

const ROWS = [
  { step: 0, loss: 0.5 },
  { step: 1, loss: 0.25 },
];
const OUTCOME: Outcome = {
  rows: ROWS,
  comparable: ROWS,
  tokens: ["AAAA", "BBBB"],
  rollouts: [["said"], []],
  weights: ["state", "sampler"],
};
const EVENTS = [
  { eventType: "rollout", eventId: "9", rolloutName: "first" },
  { eventType: "message", eventId: "m0", rolloutEventId: "9", index: 0 },
  { eventType: "message", eventId: "m1", rolloutEventId: "9", index: 1 },
  { eventType: "rollout_update", eventId: "9" },
];

interface Sent {
  readonly loss: readonly { readonly seqId: number; readonly token: number; readonly id: string }[];
  readonly rows: readonly object[];
  readonly isComplete: boolean;
  readonly events: readonly object[];
}

const SENT: Sent = {
  loss: [
    { seqId: 1, token: 5, id: "a" },
    { seqId: 1, token: 5, id: "a" },
  ],
  rows: ROWS,
  isComplete: true,
  events: [...EVENTS, ...EVENTS],
};

const gateways: UploadGateway[] = [];
afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.close();
});

/** A run with this outcome, whose services received this. */
async function played(outcome: Outcome = OUTCOME, sent: Sent = SENT): Promise<Played> {
  const training = new TrainingRequests();
  for (const { seqId, token, id } of sent.loss) training.note(lossPassage(seqId, token, id));
  const uploads = await UploadGateway.start();
  gateways.push(uploads);
  for (const event of sent.events) {
    const body = JSON.stringify({ events: [event] });
    await fetch(`${uploads.url}/v1/rollouts`, { method: "POST", body });
  }
  return { outcome, stage: { training, uploads, wandb: await reportedWandb(sent) } };
}

function lossPassage(seqId: number, token: number, id: string) {
  const data = [{ tokens: Int32Array.from([token]), lossInputs: {} }];
  const call = { modelId: "model", seqId, data, lossFn: "ppo", lossConfig: {}, forwardOnly: false };
  return {
    method: "POST",
    path: "/api/v1/forward_backward",
    headers: {},
    fault: null,
    body: Buffer.from(encodeForwardBackwardRequest(call)),
    answer: id === "" ? null : { status: 200, body: Buffer.from(`{"request_id":"${id}"}`) },
  };
}

async function reportedWandb({ rows, isComplete }: Sent): Promise<FakeWandbServer> {
  const server = new FakeWandbServer();
  const post = (path: string, body: object) =>
    server.send({
      method: "POST",
      url: `http://localhost${path}`,
      headers: { authorization: "key" },
      body: JSON.stringify(body),
    });
  const variables = { name: "run", project: "resilience", config: "{}" };
  await post("/graphql", { operationName: "UpsertBucket", variables });
  const content = rows.map((row) => JSON.stringify(row));
  await post("/files/ada/resilience/run/file_stream", {
    files: { "wandb-history.jsonl": { offset: 0, content } },
    ...(isComplete && { complete: true, exitcode: 0 }),
  });
  return server;
}

async function failing(outcome: Outcome, sent: Sent): Promise<readonly string[]> {
  const checks = runChecks(await played(), await played(outcome, sent), ROWS.length);
  return checks.filter(({ isGood }) => !isGood).map(({ what }) => what);
}

describe("a disturbed run that equals the undisturbed one", () => {
  it("passes, resends included", async () => {
    expect(await failing(OUTCOME, SENT)).toEqual([]);
  });
});

describe("a difference in the run's files", () => {
  const row = (step: number, loss: number) => ({ step, loss });
  it.each<[string, Partial<Outcome>]>([
    ["metrics: every step once, in order", { rows: [row(0, 0.5), row(0, 0.5)] }],
    ["metrics: the numbers of every row", { comparable: [row(0, 0.5), row(1, 0.3)] }],
    ["tokens, log-probs and advantages", { tokens: ["AAAA", "BBBC"] }],
    ["rollouts: what was said and earned (1)", { rollouts: [["other"], []] }],
    ["weights: state and sampler at the end", { weights: ["state", "other"] }],
  ])("fails %s", async (what, change) => {
    expect(await failing({ ...OUTCOME, ...change }, SENT)).toContain(what);
  });
});

describe("a difference in the requests to services", () => {
  const [start, first, second, update] = EVENTS as [object, object, object, object];
  const loss = (seqId: number, token: number, id: string) => ({ seqId, token, id });
  it.each<[string, Partial<Sent>]>([
    [
      "training requests: a resend has the same bytes",
      { loss: [loss(1, 5, "a"), loss(1, 6, "a")] },
    ],
    ["training requests: each ran once", { loss: [loss(1, 5, "a"), loss(1, 5, "b")] }],
    ["training requests: each ran once", { loss: [loss(1, 5, "a"), loss(2, 5, "")] }],
    ["forward_backward: asked for the same", { loss: [loss(1, 6, "a")] }],
    ["W&B: every row once, in order", { rows: [...ROWS, ...ROWS.slice(1)] }],
    ["W&B: the numbers of every row", { rows: [...ROWS.slice(0, 1), { step: 1, loss: 0.3 }] }],
    ["W&B: knows that the run is complete", { isComplete: false }],
    ["uploads: every rollout once", { events: [] }],
    ["uploads: every rollout once", { events: [...EVENTS, { ...start, eventId: "8" }] }],
    ["uploads: every rollout to its end", { events: [start, first, second] }],
    ["uploads: every message once", { events: [start, second, update] }],
    ["uploads: a repeat has the same bytes", { events: [...EVENTS, { ...first, content: "x" }] }],
  ])("fails %s", async (what, change) => {
    expect(await failing(OUTCOME, { ...SENT, ...change })).toContain(what);
  });
});
