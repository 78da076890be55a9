/** A bare client of the service for tests: posts JSON or protobuf, and polls futures. */

import * as z from "zod";
import {
  decodeForwardBackwardOutput,
  encodeForwardBackwardRequest,
  type ForwardBackwardCall,
} from "../../../../src/core/tinker/wire/forwardBackwardProto.ts";
import { decodeSampleResponse } from "../../../../src/core/tinker/wire/sampleProto.ts";
import { vector, type WireTensor } from "../../../../src/core/tinker/wire/tensors.ts";

const PROTOBUF = "application/x-protobuf";
const answerSchema = z.record(z.string(), z.unknown());

export type Answer = z.infer<typeof answerSchema>;

export interface ServiceClient {
  call(method: string, path: string, body?: object): Promise<{ status: number; body: Answer }>;
  /** Posts JSON and expects success. */
  post(path: string, body: object): Promise<Answer>;
  forwardBackward(call: Partial<ForwardBackwardCall>): Promise<Answer>;
  /** The JSON result of a future. */
  result(future: Answer): Promise<Answer>;
  submit(path: string, body: object): Promise<Answer>;
  trained(future: Answer): Promise<ReturnType<typeof decodeForwardBackwardOutput>>;
  sampled(future: Answer): Promise<ReturnType<typeof decodeSampleResponse>>;
}

/** `key` is sent with JSON only. */
export function createServiceClient(address: string, key: string | null = null): ServiceClient {
  const base = `${address}/api/v1`;

  async function call(method: string, path: string, body?: object) {
    const response = await fetch(base + path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        ...(body && { "Content-Type": "application/json" }),
        ...(key !== null && { "X-API-Key": key }),
      },
    });
    const text = await response.text();
    return { status: response.status, body: answerSchema.parse(JSON.parse(text || "{}")) };
  }
  async function post(path: string, body: object) {
    const answer = await call("POST", path, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  async function bytesOf(future: Answer): Promise<Uint8Array> {
    const response = await fetch(`${base}/retrieve_future`, {
      method: "POST",
      body: JSON.stringify({ request_id: future["request_id"] }),
      headers: { Accept: PROTOBUF },
    });
    if (response.headers.get("content-type") !== PROTOBUF) throw new Error(await response.text());
    return new Uint8Array(await response.arrayBuffer());
  }
  const result = (future: Answer) => post("/retrieve_future", { request_id: future["request_id"] });

  return {
    call,
    post,
    result,
    submit: async (path, body) => result(await post(path, body)),
    forwardBackward: async (fields) => {
      const response = await fetch(`${base}/forward_backward`, {
        method: "POST",
        headers: { "Content-Type": PROTOBUF },
        body: encodeForwardBackwardRequest({
          modelId: "",
          seqId: 1,
          data: [sftDatum([3, 4, 5])],
          lossFn: "cross_entropy",
          lossConfig: {},
          forwardOnly: false,
          ...fields,
        }).slice(),
      });
      return answerSchema.parse(await response.json());
    },
    trained: async (future) => decodeForwardBackwardOutput(await bytesOf(future)),
    sampled: async (future) => decodeSampleResponse(await bytesOf(future)),
  };
}

/** A sequence to learn, shifted: position i predicts token i + 1. */
export function sftDatum(sequence: readonly number[]) {
  const lossInputs: Record<string, WireTensor> = {
    target_tokens: vector(Int32Array.from(sequence.slice(1))),
    weights: vector(new Float32Array(sequence.length - 1).fill(1)),
  };
  return { tokens: Int32Array.from(sequence.slice(0, -1)), lossInputs };
}
