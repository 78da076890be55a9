import { describe, expect, it } from "vitest";
import type { Datum } from "../../../../src/core/tinker/wire/datum.ts";
import { type FakeReply, jsonBody } from "../../../fakes/fakeHttp.ts";
import { fakeTinker, type Interception, pathOf } from "../../../fakes/fakeTinker.ts";

const datum: Datum = {
  tokens: [5, 6],
  lossInputs: { target_tokens: [6, 7], logprobs: [0, -0.5], advantages: [0, 1] },
};
const jsonResult = {
  loss_fn_outputs: [{ logprobs: { data: [-0.5, -0.25], dtype: "float32", shape: [2] } }],
  metrics: { "loss:sum": 1.75, "skipped:mean": null },
};

async function training(intercept: Interception) {
  const server = fakeTinker(intercept);
  const service = await server.connect();
  const client = await service.createTrainingClient({ baseModel: "org/model", rank: 8 });
  const encodings = () =>
    server.http.requests
      .filter((request) => /^forward/.test(pathOf(request)))
      .map((request) => `${pathOf(request)} ${request.headers?.["Content-Type"]}`);
  return { ...server, client, encodings };
}

/** A server that supports only JSON and refuses binary data with `refusal`. */
function olderServer(refusal: FakeReply): Interception {
  return (path, request) => {
    if (/^forward/.test(path)) {
      return request.body instanceof Uint8Array ? refusal : { json: { request_id: "loss" } };
    }
    const isLoss = path === "retrieve_future" && jsonBody(request)["request_id"] === "loss";
    return isLoss ? { json: jsonResult } : undefined;
  };
}

const binary = "forward_backward application/x-protobuf";
const json = "forward_backward application/json";

describe("the encoding of training data", () => {
  it.each([415, 422])(
    "falls back to JSON permanently when the first request is refused with %i",
    async (status) => {
      const { client, encodings } = await training(olderServer({ status, json: { detail: "no" } }));
      const first = await client.forwardBackward([datum], "ppo", { clip_low_threshold: 0.8 });
      expect(first.metrics).toEqual({ "loss:sum": 1.75 });
      expect(first.outputs).toEqual([{ logprobs: Float32Array.of(-0.5, -0.25) }]);
      await client.forwardBackward([datum], "ppo");
      expect(encodings()).toEqual([binary, json, json]);
    },
  );

  it("keeps the sequence number when it changes", async () => {
    const { client, requestsTo } = await training(olderServer({ status: 415 }));
    await client.forwardBackward([datum], "ppo", { clip_low_threshold: 0.8 });
    expect(requestsTo("forward_backward").map(jsonBody).at(-1)).toEqual({
      forward_backward_input: {
        data: [
          {
            model_input: { chunks: [{ type: "encoded_text", tokens: [5, 6] }] },
            loss_fn_inputs: {
              target_tokens: { data: [6, 7], dtype: "int64", shape: [2] },
              logprobs: { data: [0, -0.5], dtype: "float32", shape: [2] },
              advantages: { data: [0, 1], dtype: "float32", shape: [2] },
            },
          },
        ],
        loss_fn: "ppo",
        loss_fn_config: { clip_low_threshold: 0.8 },
      },
      model_id: "S:train:0",
      seq_id: 1,
    });
  });

  it("also includes per-token losses in JSON", async () => {
    const row = { data: [1, 2] };
    const reported = {
      loss_fn_outputs: [{ ...jsonResult.loss_fn_outputs[0], elementwise_loss: row }],
    };
    const { client } = await training((path, request) =>
      path === "retrieve_future" && jsonBody(request)["request_id"] === "loss"
        ? { json: reported }
        : olderServer({ status: 415 })(path, request),
    );
    const { outputs } = await client.forwardBackward([datum], "ppo");
    expect(outputs).toMatchObject([{ losses: Float32Array.of(1, 2) }]);
  });

  it("uses a separate JSON endpoint when only log-probs are requested", async () => {
    const { client, requestsTo } = await training(olderServer({ status: 415 }));
    await client.forwardBackward([datum], "ppo", {}, { forwardOnly: true });
    expect(requestsTo("forward").map(jsonBody)).toMatchObject([
      { forward_input: { loss_fn: "ppo" }, model_id: "S:train:0", seq_id: 1 },
    ]);
  });

  it("is not blamed when both are refused: the first refusal's message is kept", async () => {
    const { client } = await training((path, request) => {
      if (!/^forward/.test(path)) return undefined;
      return request.body instanceof Uint8Array
        ? { status: 422, json: { detail: "unknown loss_fn" } }
        : { status: 404, json: { detail: "Not Found" } };
    });
    const refused = client.forwardBackward([datum], "dro", {}, { mayBeRefused: true });
    await expect(refused).rejects.toThrow(/unknown loss_fn/);
  });

  it("is reported when it falls back", async () => {
    const messages: unknown[] = [];
    const server = fakeTinker(olderServer({ status: 415 }));
    const service = await server.connect({ onMessage: (message) => messages.push(message) });
    const client = await service.createTrainingClient({ baseModel: "org/model", rank: 8 });
    await client.forwardBackward([datum], "ppo");
    await client.forwardBackward([datum], "ppo");
    expect(messages).toEqual([{ level: "info", text: expect.stringContaining("only as JSON") }]);
  });

  it("stays binary on a server that has accepted it once", async () => {
    let losses = 0;
    const { client, encodings } = await training((path) =>
      path === "forward_backward" && losses++ > 0 ? { status: 422, json: {} } : undefined,
    );
    await client.forwardBackward([datum], "ppo");
    await expect(client.forwardBackward([datum], "ppo")).rejects.toMatchObject({
      code: "tinker-bad-request",
    });
    expect(encodings()).toEqual([binary, binary]);
  });

  it.each([400, 413])("does not change after any other refusal: %i", async (status) => {
    const { client, encodings } = await training(olderServer({ status, json: { detail: "no" } }));
    await expect(client.forwardBackward([datum], "ppo")).rejects.toMatchObject({
      code: "tinker-bad-request",
    });
    expect(encodings()).toEqual([binary]);
  });
});
