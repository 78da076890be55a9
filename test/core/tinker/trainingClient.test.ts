import { describe, expect, it } from "vitest";
import type { Datum } from "../../../src/core/tinker/wire/datum.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { jsonBody } from "../../fakes/fakeHttp.ts";
import {
  ADAM,
  fakeTinker,
  forwardBackwardCall,
  type Interception,
  pathOf,
  seqIdOf,
} from "../../fakes/fakeTinker.ts";

function aDatum(target: number): Datum {
  return {
    tokens: [5],
    lossInputs: { target_tokens: [target], logprobs: [-0.5], advantages: [1] },
  };
}

async function training(intercept?: Interception) {
  const server = fakeTinker(intercept);
  const service = await server.connect();
  const client = await server.clock.run(
    service.createTrainingClient({ baseModel: "org/model", rank: 8, seed: 7, trainMlp: false }),
  );
  return { ...server, service, client };
}

describe("a new model", () => {
  it("is created with its LoRA settings and optimizer, and its info is requested", async () => {
    const { client, requestsTo } = await training();
    expect(requestsTo("create_model").map(jsonBody)).toEqual([
      {
        session_id: "S",
        model_seq_id: 0,
        base_model: "org/model",
        lora_config: {
          rank: 8,
          seed: 7,
          train_unembed: true,
          train_mlp: false,
          train_attn: true,
        },
        optimizer_config: { type: "adamw" },
        type: "create_model",
      },
    ]);
    expect(client.info()).toEqual({
      modelId: "S:train:0",
      baseModel: "org/model",
      loraRank: 8,
    });
  });
});

describe("training calls", () => {
  it("are all submitted in order before the first is awaited", async () => {
    const { client, http } = await training((path, request) => {
      const isCreation = String(jsonBody(request)["request_id"]).startsWith("create_model");
      return path === "retrieve_future" && !isCreation ? "hang" : undefined;
    });
    client.forwardBackward([aDatum(6)], "ppo");
    client.optimStep(ADAM);
    client.ephemeralSampler();
    await settle();
    const calls = http.requests.filter((request) => /^(forward|optim|save)_/.test(pathOf(request)));
    expect(calls.map((request) => `${pathOf(request)} ${seqIdOf(request)}`)).toEqual([
      "forward_backward 1",
      "optim_step 2",
      "save_weights_for_sampler 3",
    ]);
  });

  it("submit the second only once the first is accepted", async () => {
    let accept: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const { client, requestsTo, http } = await training();
    const send = http.send.bind(http);
    http.send = async (request) => {
      const response = await send(request);
      if (pathOf(request) === "forward_backward") await gate;
      return response;
    };
    const first = client.forwardBackward([aDatum(6)], "ppo");
    const second = client.optimStep(ADAM);
    await settle();
    expect(requestsTo("optim_step")).toHaveLength(0);
    accept();
    await expect(Promise.all([first, second])).resolves.toHaveLength(2);
  });

  it("are split into chunks, with the first one sent last, and return one result", async () => {
    const { client, requestsTo } = await training();
    const data = [1, 2, 3, 4, 5].map(aDatum);
    const result = await client.forwardBackward(data, "ppo");
    expect(requestsTo("forward_backward").map(seqIdOf)).toEqual([2, 3, 1]);
    expect(result.outputs.map(({ logprobs }) => logprobs[0])).toEqual([-1, -2, -3, -4, -5]);
    expect(result.metrics).toEqual({ "loss:sum": 5 });
  });

  it("are sent in order if the server does not support parallel chunks", async () => {
    const { client, requestsTo } = await training((path) =>
      path === "client/config"
        ? { json: { fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: false } }
        : undefined,
    );
    await client.forwardBackward([1, 2, 3].map(aDatum), "ppo");
    expect(requestsTo("forward_backward").map(seqIdOf)).toEqual([1, 2, 3]);
  });

  it("include the loss, its config, and the flag for log-probs only", async () => {
    const { client, requestsTo } = await training();
    await client.forwardBackward([aDatum(6)], "dro", { beta: 0.05 }, { forwardOnly: true });
    const requests = requestsTo("forward_backward");
    expect(requests.map(forwardBackwardCall)).toMatchObject([
      { modelId: "S:train:0", lossFn: "dro", lossConfig: { beta: 0.05 }, forwardOnly: true },
    ]);
    expect(requests[0]?.headers).toMatchObject({ "Content-Type": "application/x-protobuf" });
  });

  it("retry a lost submit byte for byte", async () => {
    let isFirst = true;
    const { client, clock, requestsTo } = await training((path) => {
      if (path !== "forward_backward" || !isFirst) return undefined;
      isFirst = false;
      return "lost";
    });
    await clock.run(client.forwardBackward([aDatum(6)], "ppo"));
    const [first, second, ...more] = requestsTo("forward_backward");
    expect(second?.body).toEqual(first?.body);
    expect(more).toEqual([]);
  });

  it("reject a result without log-probs", async () => {
    const { client } = await training((path, request) =>
      path === "retrieve_future" && String(jsonBody(request)["request_id"]).startsWith("forward")
        ? { json: { loss_fn_outputs: [{ logprobs: { data: [] } }], metrics: {} } }
        : undefined,
    );
    await expect(client.forwardBackward([aDatum(6)], "ppo")).rejects.toMatchObject({
      code: "tinker-protocol",
    });
  });

  it("use no sequence number if the data cannot be sent", async () => {
    const { client, requestsTo } = await training();
    await expect(client.forwardBackward([], "ppo")).rejects.toMatchObject({
      code: "tinker-invalid-input",
    });
    await client.optimStep(ADAM);
    expect(requestsTo("optim_step").map(seqIdOf)).toEqual([1]);
  });

  it("invalidate the model if one is not accepted, with a single remedy", async () => {
    const { client, requestsTo } = await training((path) =>
      path === "optim_step" ? { status: 422, json: { detail: "no adam" } } : undefined,
    );
    const step = client.optimStep(ADAM);
    const after = client.forwardBackward([aDatum(6)], "ppo");
    await expect(step).rejects.toMatchObject({ code: "tinker-bad-request" });
    await expect(after).rejects.toMatchObject({
      code: "tinker-model-lost",
      message: expect.stringMatching(
        /request 1 \(optim_step\).*no adam\. Start again; a run is resumed from its last checkpoint\.$/,
      ),
    });
    expect(requestsTo("forward_backward")).toEqual([]);
  });

  it.each([
    ["waits for their numbers", false, [1, 1, 2]],
    ["counts what it refuses", true, [1, 1, 2, 3]],
  ])("can be refused without consequences on a server that %s", async (_name, counts, numbers) => {
    const seen: unknown[] = [];
    const { client } = await training((path, request) => {
      if (path !== "forward_backward" && path !== "optim_step") return undefined;
      const seqId = seqIdOf(request);
      const isTaken = seen.includes(seqId) && counts;
      seen.push(seqId);
      if (seen.length === 1) return { status: 400, json: { detail: "no forward_only" } };
      return isTaken ? { status: 409, json: { detail: "used up" } } : undefined;
    });
    const how = { forwardOnly: true, mayBeRefused: true };
    const refused = client.forwardBackward([aDatum(6)], "ppo", {}, how);
    await expect(refused).rejects.toMatchObject({ code: "tinker-bad-request" });
    await Promise.all([client.forwardBackward([aDatum(6)], "ppo"), client.optimStep(ADAM)]);
    expect(seen).toEqual(numbers);
  });

  it("continue after an operation that was accepted and failed", async () => {
    const { client } = await training((path, request) =>
      path === "retrieve_future" && jsonBody(request)["request_id"] === "forward_backward-1"
        ? { json: { error: "NonFiniteInTensor", category: "user" } }
        : undefined,
    );
    await expect(client.forwardBackward([aDatum(6)], "ppo")).rejects.toMatchObject({
      code: "tinker-request-failed",
    });
    await expect(client.optimStep(ADAM)).resolves.toEqual({ metrics: { "grad_norm:mean": 1 } });
  });
});

describe("saving", () => {
  it("returns the path that the server chose", async () => {
    const { client, requestsTo } = await training();
    await expect(
      client.saveState("step-2", { ttlSeconds: 3600, userMetadata: { step: "2" } }),
    ).resolves.toEqual({ path: "tinker://S:train:0/weights/step-2" });
    expect(requestsTo("save_weights").map(jsonBody)).toEqual([
      {
        model_id: "S:train:0",
        path: "step-2",
        seq_id: 1,
        ttl_seconds: 3600,
        overwrite: false,
        user_metadata: { step: "2" },
        type: "save_weights",
      },
    ]);
  });

  it("accepts the checkpoint of its own lost attempt once the server lists it", async () => {
    let tries = 0;
    let looks = 0;
    const path = "tinker://S:train:0/weights/step-2";
    const { client, clock } = await training((to) => {
      if (to === "save_weights") return tries++ === 0 ? "lost" : { status: 409, json: {} };
      if (!to.endsWith("/checkpoints")) return undefined;
      return { json: { checkpoints: looks++ < 3 ? [] : [{ tinker_path: path }] } };
    });
    await expect(clock.run(client.saveState("step-2"))).resolves.toEqual({ path });
  });

  it("fails when its own lost attempt is not listed for minutes", async () => {
    let tries = 0;
    const { client, clock } = await training((to) => {
      if (to === "save_weights") return tries++ === 0 ? "lost" : { status: 409, json: {} };
      return to.endsWith("/checkpoints") ? { json: { checkpoints: [] } } : undefined;
    });
    await expect(clock.run(client.saveState("step-2"))).rejects.toMatchObject({
      code: "tinker-conflict",
    });
  });

  it("requests another sampler when the number of its own lost attempt is taken", async () => {
    let tries = 0;
    const { client, clock, requestsTo } = await training((to) => {
      if (to !== "save_weights_for_sampler") return undefined;
      tries += 1;
      if (tries === 1) return "lost";
      return tries === 2 ? { status: 409, json: {} } : undefined;
    });
    const sampler = await clock.run(client.ephemeralSampler());
    expect(sampler.samplerId).toBe("S:sample:1");
    expect(requestsTo("save_weights_for_sampler").map(jsonBody)).toMatchObject([
      { sampling_session_seq_id: 0, seq_id: 1 },
      { sampling_session_seq_id: 0, seq_id: 1 },
      { sampling_session_seq_id: 1, seq_id: 1 },
    ]);
  });

  it("makes samplers with unique numbers", async () => {
    const { client, service, requestsTo } = await training();
    const [first, second, base] = await Promise.all([
      client.ephemeralSampler(),
      client.ephemeralSampler(),
      service.samplerForBase("org/model"),
    ]);
    expect([first.samplerId, second.samplerId, base.samplerId]).toEqual([
      "S:sample:0",
      "S:sample:1",
      "S:sample:2",
    ]);
    expect(requestsTo("save_weights_for_sampler").map(jsonBody)).toMatchObject([
      { sampling_session_seq_id: 0, kind: "snapshot", seq_id: 1 },
      { sampling_session_seq_id: 1, kind: "snapshot", seq_id: 2 },
    ]);
  });
});
