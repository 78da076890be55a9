/** A Tinker server as a function: answers every call of a session, and lets a test intercept any of them. */

import type { HttpRequest } from "../../src/core/ports.ts";
import { connectTinker, type TinkerOptions } from "../../src/core/tinker/serviceClient.ts";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
} from "../../src/core/tinker/wire/forwardBackwardProto.ts";
import { encodeSampleResponse } from "../../src/core/tinker/wire/sampleProto.ts";
import { FakeClock } from "./fakeClock.ts";
import { FakeHttp, type FakeReply, isJson, jsonBody } from "./fakeHttp.ts";
import { silentLog } from "./silentLog.ts";

/** Parameters of an optimizer step. */
export const ADAM = {
  learning_rate: 1e-4,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  weight_decay: 0,
  grad_clip_norm: 1,
};

/** Replies to a request, or returns undefined to leave it to the server. */
export type Interception = (path: string, request: HttpRequest) => FakeReply | undefined;

type Results = Map<string, FakeReply>;

const baseUrl = "http://tinker.test/prefix/";

/** The part of a request's URL after the API root. */
export function pathOf(request: HttpRequest): string {
  return request.url.slice(`${baseUrl}api/v1/`.length);
}

export function fakeTinker(intercept: Interception = () => undefined) {
  const clock = new FakeClock();
  const results: Results = new Map();
  const http = new FakeHttp((request) => {
    const path = pathOf(request);
    return intercept(path, request) ?? answer(path, request, results);
  });
  let uuids = 0;
  const random = { uuid: () => `uuid-${++uuids}`, uniform: () => 0 };
  return {
    clock,
    http,
    baseUrl,
    /** Requests to one path, in order. */
    requestsTo: (path: string) => http.requests.filter((request) => pathOf(request) === path),
    connect: (options: Partial<TinkerOptions> = {}) =>
      connectTinker({
        http,
        clock,
        random,
        log: silentLog,
        baseUrl,
        apiKey: "tml-secret",
        ...options,
      }),
  };
}

/** Sequence number of a request to a model or sampler, in any encoding. */
export function seqIdOf(request: HttpRequest): unknown {
  return isJson(request) ? jsonBody(request)["seq_id"] : forwardBackwardCall(request).seqId;
}

/** A decoded forward_backward request, with zeros in place of images. */
export function forwardBackwardCall(request: HttpRequest) {
  return decodeForwardBackwardRequest(
    request.body instanceof Uint8Array ? request.body : new Uint8Array(),
    ({ expectedTokens }) => new Int32Array(expectedTokens ?? 0),
  );
}

function answer(path: string, request: HttpRequest, results: Results): FakeReply {
  const body = jsonBody(request);
  switch (path) {
    case "client/config":
      return { json: { fwdbwd_max_chunk_len: 2 } };
    case "create_session":
      return { json: { session_id: "S" } };
    case "get_info":
      return {
        json: { model_id: body["model_id"], model_data: { model_name: "org/model" }, lora_rank: 8 },
      };
    case "create_sampling_session":
      return { json: { sampling_session_id: `S:sample:${body["sampling_session_seq_id"]}` } };
    case "retrieve_future":
      return results.get(String(body["request_id"])) ?? { status: 404, json: {} };
    default:
      return operation(path, request, results) ?? { json: { base_model: "org/model" } };
  }
}

function operation(path: string, request: HttpRequest, results: Results): FakeReply | undefined {
  const result = resultOf(path, request);
  if (result === undefined) return undefined;
  const id = `${path}-${results.size}`;
  results.set(id, result);
  return { json: { request_id: id, sample_sequence_ids: [`${id}:0`] } };
}

function resultOf(path: string, request: HttpRequest): FakeReply | undefined {
  const body = jsonBody(request);
  switch (path) {
    case "create_model":
    case "load_weights":
      return { json: { model_id: `S:train:${body["model_seq_id"]}` } };
    case "forward_backward":
      return { bytes: forwardBackwardResult(request) };
    case "optim_step":
      return { json: { metrics: { "grad_norm:mean": 1 } } };
    case "save_weights":
      return { json: { path: `tinker://S:train:0/weights/${body["path"]}` } };
    case "save_weights_for_sampler":
      return {
        json:
          body["path"] === undefined
            ? { path: null, sampling_session_id: `S:sample:${body["sampling_session_seq_id"]}` }
            : { path: `tinker://S:train:0/sampler_weights/${body["path"]}` },
      };
    case "asample":
      return { bytes: sampleBytes([11, 12], [-0.5, -0.25]) };
    default:
      return undefined;
  }
}

/** Log-probs equal to the negated targets. */
function forwardBackwardResult(request: HttpRequest): Uint8Array {
  const { data } = forwardBackwardCall(request);
  return encodeForwardBackwardOutput({
    outputs: data.map(({ lossInputs }) => ({
      logprobs: Float32Array.from(lossInputs["target_tokens"]?.values ?? [], (id) => -id),
    })),
    metrics: { "loss:sum": data.length },
  });
}

/** A sample result with one sequence that ended with its stop token. */
export function sampleBytes(
  tokens: readonly number[],
  logprobs: readonly number[] | null,
  promptLogprobs: readonly number[] | null = null,
  promptCacheHitTokens = 0,
): Uint8Array {
  return encodeSampleResponse({
    sequences: [
      {
        stopReason: "stop",
        tokens: Int32Array.from(tokens),
        logprobs: logprobs && Float32Array.from(logprobs),
      },
    ],
    promptLogprobs: promptLogprobs && Float32Array.from(promptLogprobs),
    promptCacheHitTokens,
  });
}
