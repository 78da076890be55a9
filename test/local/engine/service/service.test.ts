import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTinkerService } from "../../../../src/local/engine/service/service.ts";
import { listen } from "../../../../src/local/http/listen.ts";
import { createFileSystem } from "../../../../src/node/fileSystem.ts";
import { systemRandom } from "../../../../src/node/random.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";
import { createFakeEngine, type FakeEngine } from "../../../fakes/fakeEngine.ts";
import { folderOfEachTest } from "../../../fakes/onDisk.ts";
import { silentLog } from "../../../fakes/silentLog.ts";
import { type Answer, createServiceClient, type ServiceClient, sftDatum } from "./serviceClient.ts";

const base_model = "local/fake";
const adam_params = { learning_rate: 0.1, eps: 1e-8 };
const chunks = (tokens: number[]) => ({ chunks: [{ type: "encoded_text", tokens }] });

const storeFolder = folderOfEachTest();
let closing: (() => Promise<void>)[];

beforeEach(() => {
  closing = [];
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
});

interface Setup {
  readonly client: ServiceClient;
  readonly engine: FakeEngine;
  readonly session: string;
}

/** A service like in a separate process, over the store of this test. */
async function setUp(): Promise<Setup> {
  const engine = createFakeEngine();
  const service = await createTinkerService({
    engine,
    storeFolder,
    key: null,
    clock: new FakeClock(),
    random: systemRandom,
    files: createFileSystem(),
    log: silentLog,
  });
  closing.push(() => service.close());
  const client = createServiceClient(await listen(service.server, { kind: "port", port: 0 }));
  const { session_id } = await client.post("/create_session", { tags: [], display_name: "demo" });
  return { client, engine, session: String(session_id) };
}

async function newModel({ client, session }: Setup, number = 0): Promise<string> {
  const created = await client.submit("/create_model", {
    session_id: session,
    model_seq_id: number,
    base_model,
    lora_config: { rank: 8, seed: 1 },
    optimizer_config: { type: "adamw" },
  });
  return String(created["model_id"]);
}

async function train({ client }: Setup, modelId: string, seqId: number): Promise<void> {
  const future = await client.forwardBackward({ modelId, seqId });
  const step = { model_id: modelId, seq_id: seqId + 1, adam_params };
  expect(await client.submit("/optim_step", step)).toHaveProperty(["metrics", "grad_norm:mean"]);
  await client.trained(future);
}

/** Sum of the log-probs of a fixed sequence under a model. */
async function score({ client }: Setup, modelId: string, seqId: number): Promise<number> {
  const call = { modelId, seqId, forwardOnly: true, data: [sftDatum([3, 4, 5])] };
  const { outputs } = await client.trained(await client.forwardBackward(call));
  return Array.from(outputs[0]?.logprobs ?? []).reduce((sum, logprob) => sum + logprob, 0);
}

const sampleBody = (sampler: Answer, seq_id: number) => ({
  sampling_session_id: sampler["sampling_session_id"],
  seq_id,
  num_samples: 2,
  prompt: chunks([3, 4]),
  sampling_params: { max_tokens: 5, seed: 7, stop: [] },
  prompt_logprobs: true,
});

async function withScore({ client }: Setup, sampler: Answer, seqId: number): Promise<number> {
  const body = { ...sampleBody(sampler, seqId), prompt: chunks([3, 4, 5]) };
  const { promptLogprobs } = await client.sampled(await client.post("/asample", body));
  return Number(promptLogprobs?.[1]) + Number(promptLogprobs?.[2]);
}

describe("a session", () => {
  it("trains, samples from frozen weights, saves, and resumes exactly in another process", async () => {
    const first = await setUp();
    const modelId = await newModel(first);
    expect(modelId).toBe(`${first.session}:train:0`);
    const info = await first.client.post("/get_info", { model_id: modelId });
    expect(info).toMatchObject({ lora_rank: 8, model_data: { model_name: base_model } });

    const before = await score(first, modelId, 1);
    await train(first, modelId, 2);
    const trained = await score(first, modelId, 4);
    expect(trained).toBeGreaterThan(before);

    const save = { model_id: modelId, seq_id: 5, sampling_session_seq_id: 0 };
    const sampler = await first.client.submit("/save_weights_for_sampler", save);
    expect(sampler["sampling_session_id"]).toBe(`${first.session}:sample:0`);
    const named = { model_id: modelId, seq_id: 6, path: "step-1" };
    const saved = await first.client.submit("/save_weights_for_sampler", named);
    const state = await first.client.submit("/save_weights", { ...named, seq_id: 7 });
    await train(first, modelId, 8);
    expect(await withScore(first, sampler, 0)).toBeCloseTo(trained, 4);

    const second = await setUp();
    const sampling = await second.client.post("/create_sampling_session", {
      session_id: second.session,
      sampling_session_seq_id: 0,
      model_path: saved["path"],
    });
    expect(await withScore(second, sampling, 0)).toBeCloseTo(trained, 4);
    const resumed = await second.client.submit("/load_weights", {
      session_id: second.session,
      model_seq_id: 0,
      path: state["path"],
      optimizer: true,
    });
    await train(second, String(resumed["model_id"]), 1);
    expect(await score(second, String(resumed["model_id"]), 3)).toBeCloseTo(
      await score(first, modelId, 10),
      6,
    );
  });

  it("ends: heartbeats get 410, new work 400, adapters are released, results stay", async () => {
    const setup = await setUp();
    const { client, session, engine } = setup;
    const modelId = await newModel(setup);
    const future = await client.forwardBackward({ modelId, seqId: 1 });
    const unnamed = { model_id: modelId, seq_id: 2, sampling_session_seq_id: 0 };
    const sampler = await client.submit("/save_weights_for_sampler", unnamed);
    const finish = { reason: { type: "success" }, detail: null };
    await client.post(`/sessions/${session}/finish`, finish);

    const heartbeat = { session_id: session, type: "session_heartbeat" };
    expect((await client.call("POST", "/session_heartbeat", heartbeat)).status).toBe(410);
    const step = { model_id: modelId, seq_id: 3, adam_params };
    expect((await client.call("POST", "/optim_step", step)).status).toBe(400);
    const sampling = await client.call("POST", "/asample", sampleBody(sampler, 0));
    expect(sampling.status).toBe(400);
    expect(engine.openHandles()).toBe(0);
    expect((await client.trained(future)).outputs).toHaveLength(1);
    await client.post(`/sessions/${session}/finish`, finish);
  });
});

describe("submitted requests", () => {
  it("reach the engine in numerical order when chunks arrive as 2, 3, 1", async () => {
    const setup = await setUp();
    const { client, engine } = setup;
    const modelId = await newModel(setup);
    const chunk = (seqId: number) =>
      client.forwardBackward({ modelId, seqId, data: Array(seqId).fill(sftDatum([3, 4])) });
    const step = { model_id: modelId, seq_id: 4, adam_params };
    const futures = [
      await chunk(2),
      await chunk(3),
      await client.post("/optim_step", step),
      await chunk(1),
    ];
    await Promise.all(futures.map((future) => client.result(future)));
    const order = ["forwardBackward 1", "forwardBackward 2", "forwardBackward 3", "optimStep"];
    expect(engine.calls).toEqual(order);
  });

  it("get the same future and run once when repeated; another body gets 409", async () => {
    const setup = await setUp();
    const { client, engine } = setup;
    const modelId = await newModel(setup);
    const first = await client.forwardBackward({ modelId });
    expect(await client.forwardBackward({ modelId })).toEqual(first);
    await client.trained(first);
    expect(engine.calls).toHaveLength(1);
    const other = await client.forwardBackward({ modelId, forwardOnly: true });
    expect(other["detail"]).toContain("another body");
  });

  it("for an unnamed sampler may be repeated with another sampler number", async () => {
    const setup = await setUp();
    const { client } = setup;
    const save = { model_id: await newModel(setup), seq_id: 1, kind: "snapshot" };
    const futures = [0, 1].map((sampling_session_seq_id) =>
      client.submit("/save_weights_for_sampler", { ...save, sampling_session_seq_id }),
    );
    const [first, second] = await Promise.all(futures);
    expect(second).toEqual(first);
  });

  it("fail as the user's mistake if invalid, and the next one works", async () => {
    const setup = await setUp();
    const { client } = setup;
    const modelId = await newModel(setup);
    const wrong = await client.forwardBackward({ modelId, lossFn: "no_such_loss" });
    expect(await client.result(wrong)).toMatchObject({ category: "user" });
    const unreadable = { model_id: modelId, seq_id: 2, adam_params: { learning_rate: "fast" } };
    expect(await client.submit("/optim_step", unreadable)).toMatchObject({ category: "user" });
    await train(setup, modelId, 3);
  });

  it("that load weights later than first are rejected, and use up their number", async () => {
    const setup = await setUp();
    const { client } = setup;
    const modelId = await newModel(setup);
    await train(setup, modelId, 1);
    const load = { model_id: modelId, seq_id: 3, path: `tinker://${modelId}/weights/x` };
    const refused = await client.call("POST", "/load_weights", load);
    expect(refused.status).toBe(400);
    expect(refused.body["detail"]).toContain("LoadWeights is not permitted with seq_id 3");
    await train(setup, modelId, 4);
  });

  it("with chunks other than text fail without blocking the model", async () => {
    const setup = await setUp();
    const { client } = setup;
    const modelId = await newModel(setup);
    const image = { model_input: { chunks: [{ type: "image" }] }, loss_fn_inputs: {} };
    const input = { data: [image], loss_fn: "cross_entropy" };
    const body = { model_id: modelId, seq_id: 1, forward_backward_input: input };
    expect(await client.submit("/forward_backward", body)).toMatchObject({ category: "user" });
    await train(setup, modelId, 2);
  });
});

describe("the JSON forms of old clients", () => {
  it("give the same numbers as protobuf", async () => {
    const setup = await setUp();
    const { client } = setup;
    const modelId = await newModel(setup);
    const datum = {
      model_input: chunks([3, 4]),
      loss_fn_inputs: {
        target_tokens: { data: [4, 5], dtype: "int64", shape: [2] },
        weights: { data: [1, 1], dtype: "float32" },
      },
    };
    const forward_input = { data: [datum], loss_fn: "cross_entropy" };
    const result = await client.submit("/forward", { model_id: modelId, seq_id: 1, forward_input });
    const loss = -(await score(setup, modelId, 2));
    expect(result).toMatchObject({ metrics: { "loss:sum": expect.closeTo(loss, 4) } });
    const sampler = await client.post("/create_sampling_session", {
      session_id: setup.session,
      sampling_session_seq_id: 0,
      base_model,
    });
    const sampled = await client.submit("/asample", sampleBody(sampler, 0));
    expect(sampled).toMatchObject({ type: "sample", prompt_logprobs: [null, expect.any(Number)] });
  });
});

describe("creating a model", () => {
  it.each([
    ["an unknown base model", { base_model: "kit/none" }, "unknown here"],
    ["a rank that is no power of two", { lora_config: { rank: 12 } }, "power of two"],
    ["a rank above 64", { lora_config: { rank: 128 } }, "between 1 and 64"],
    ["another optimizer", { optimizer_config: { type: "dimuon" } }, "dimuon is not supported"],
    ["nothing to train", { lora_config: { train_attn: false, train_mlp: false } }, "both false"],
  ])("with %s fails as the user's mistake", async (_what, fields, message) => {
    const { client, session } = await setUp();
    const body = { session_id: session, model_seq_id: 0, base_model, ...fields };
    const result = await client.submit("/create_model", body);
    expect(result).toEqual({ error: expect.stringContaining(message), category: "user" });
  });

  it("with a malformed body is a 422 with a list of the errors", async () => {
    const { client } = await setUp();
    const { status, body } = await client.call("POST", "/create_model", {});
    expect(status).toBe(422);
    expect(body["detail"]).toContainEqual(expect.objectContaining({ loc: ["body", "session_id"] }));
  });
});

describe("samples", () => {
  async function baseSampler({ client, session }: Setup): Promise<Answer> {
    const body = { session_id: session, sampling_session_seq_id: 0, base_model };
    return client.post("/create_sampling_session", body);
  }

  it("have an id per sequence and are the same for the same seed", async () => {
    const setup = await setUp();
    const { client } = setup;
    const sampler = await baseSampler(setup);
    const futures = [
      await client.post("/asample", sampleBody(sampler, 5)),
      await client.post("/asample", sampleBody(sampler, 0)),
    ];
    const id = `${sampler["sampling_session_id"]}:5`;
    expect(futures[0]).toEqual({ request_id: id, sample_sequence_ids: [`${id}:0`, `${id}:1`] });
    const [first, second] = await Promise.all(futures.map((future) => client.sampled(future)));
    expect(second).toEqual(first);
    expect(first?.sequences[0]?.tokens).not.toEqual(first?.sequences[1]?.tokens);
    expect(first?.promptLogprobs?.[0]).toBeNaN();
  });

  it("stop when they are canceled", async () => {
    const setup = await setUp();
    const { client, engine } = setup;
    engine.hold = new Promise(() => undefined);
    const future = await client.post("/asample", sampleBody(await baseSampler(setup), 0));
    const { status } = await client.call("POST", "/cancel_future", {
      request_id: future["request_id"],
    });
    expect(status).toBe(204);
    expect(await client.result(future)).toMatchObject({ category: "user" });
  });

  it("that need features the engine lacks are rejected with the reason", async () => {
    const setup = await setUp();
    const body = { ...sampleBody(await baseSampler(setup), 0), prompt_alt_tokens_k: 2 };
    const result = await setup.client.submit("/asample", body);
    expect(result["error"]).toContain("not supported");
  });

  it("from a name that was deleted and saved again use the new weights", async () => {
    const setup = await setUp();
    const { client, session } = setup;
    const modelId = await newModel(setup);
    const saveAndScore = async (seqId: number): Promise<number> => {
      const save = { model_id: modelId, seq_id: seqId, path: "best" };
      const { path } = await client.submit("/save_weights_for_sampler", save);
      const sampler = await client.post("/create_sampling_session", {
        session_id: session,
        sampling_session_seq_id: seqId,
        model_path: path,
      });
      return withScore(setup, sampler, 0);
    };
    await saveAndScore(1);
    const checkpoint = `/training_runs/${modelId}/checkpoints/sampler_weights/best`;
    expect((await client.call("DELETE", checkpoint)).status).toBe(204);
    await train(setup, modelId, 2);
    const trained = await score(setup, modelId, 4);
    expect(await saveAndScore(5)).toBeCloseTo(trained, 4);
  });

  it("require an existing sampler checkpoint", async () => {
    const { client, session } = await setUp();
    const create = (model_path: string) =>
      client.call("POST", "/create_sampling_session", {
        session_id: session,
        sampling_session_seq_id: 0,
        model_path,
      });
    expect((await create(`tinker://${session}:train:0/sampler_weights/none`)).status).toBe(404);
    expect((await create(`tinker://${session}:train:0/weights/state`)).status).toBe(400);
    expect((await create("tinker://../../etc/passwd")).status).toBe(404);
  });
});

describe("listings", () => {
  it("show runs, checkpoints and sessions, and their changes", async () => {
    const setup = await setUp();
    const { client, session } = setup;
    const modelId = await newModel(setup);
    const save = { model_id: modelId, seq_id: 1, path: "a", user_metadata: { step: "1" } };
    const { path } = await client.submit("/save_weights", save);
    const checkpoint = `/training_runs/${modelId}/checkpoints/weights/a`;
    const listed = async () => (await client.call("GET", "/checkpoints")).body["checkpoints"];

    expect(await listed()).toMatchObject([
      { checkpoint_id: "weights/a", tinker_path: path, public: false, expires_at: null },
    ]);
    await client.call("POST", `${checkpoint}/publish`, {});
    await client.call("PUT", `${checkpoint}/ttl`, { ttl_seconds: 3600 });
    expect(await listed()).toMatchObject([
      { public: true, expires_at: "2026-01-01T01:00:00.000Z" },
    ]);
    expect(await client.post("/weights_info", { tinker_path: path })).toMatchObject({
      base_model,
      lora_rank: 8,
      train_mlp: true,
    });
    const runs = (await client.call("GET", "/training_runs")).body;
    expect(runs).toMatchObject({
      training_runs: [{ training_run_id: modelId, last_checkpoint: { tinker_path: path } }],
      cursor: { total_count: 1 },
    });
    expect((await client.call("DELETE", checkpoint)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await client.call("GET", `/sessions/${session}`)).body).toMatchObject({
      training_run_ids: [modelId],
      display_name: "demo",
    });
  });

  it("reject names that lead out of the store", async () => {
    const { client } = await setUp();
    const { status } = await client.call(
      "DELETE",
      "/training_runs/s:train:0/checkpoints/weights/..%2F..%2Fsecret",
    );
    expect(status).toBe(400);
  });

  it("report that archives and copies are not supported", async () => {
    const { client } = await setUp();
    expect((await client.call("POST", "/copy_weights", {})).status).toBe(501);
  });
});
