/** A proxy between a client and a Tinker server that counts the tokens of all requests independently, from the bytes on the wire. */

import * as z from "zod";
import { decodeForwardBackwardRequest } from "../../src/core/tinker/wire/forwardBackwardProto.ts";
import { decodeSampleResponse } from "../../src/core/tinker/wire/sampleProto.ts";
import type { TokenUsage } from "../../src/core/usage/tokenUsage.ts";
import type { Filter, PassingAnswer, PassingRequest } from "./tinkerServersProxy.ts";

const PROTOBUF = "application/x-protobuf";

const sampleBody = z.object({
  prompt: z.object({ chunks: z.array(z.object({ tokens: z.array(z.number()) })) }),
});
const lossBody = z.object({
  data: z.array(z.object({ model_input: sampleBody.shape.prompt })),
});
const future = z.object({ request_id: z.string() });
const wholeLossBody = z.union([
  z.object({ forward_input: lossBody }).transform(({ forward_input }) => forward_input),
  z
    .object({ forward_backward_input: lossBody })
    .transform(({ forward_backward_input }) => forward_backward_input),
]);

export class RequestedTokens implements Filter {
  readonly #counted = { sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: 0 };
  /** Prompt tokens of samples without a result yet, by request id. */
  readonly #samples = new Map<string, number>();
  #lastMs = Date.now();

  get tokens(): TokenUsage {
    return { ...this.#counted };
  }

  /** Samples whose results were not delivered. */
  get open(): number {
    return this.#samples.size;
  }

  /** Time since the last request for a sample or for training. */
  get quietMs(): number {
    return Date.now() - this.#lastMs;
  }

  request(passing: PassingRequest): PassingRequest {
    return passing;
  }

  answer(answer: PassingAnswer, to: PassingRequest): PassingAnswer {
    const endpoint = to.path.replace(/^\/api\/v1\//, "");
    if (answer.status !== 200) return answer;
    if (endpoint === "asample") this.#addSample(answer, to);
    if (endpoint === "forward_backward" || endpoint === "forward") this.#addData(to);
    if (endpoint === "retrieve_future") this.#addResult(answer, to);
    return answer;
  }

  #addSample(answer: PassingAnswer, { body }: PassingRequest): void {
    const { prompt } = sampleBody.parse(JSON.parse(body.toString()));
    const tokens = prompt.chunks.reduce((sum, chunk) => sum + chunk.tokens.length, 0);
    this.#samples.set(future.parse(JSON.parse(answer.body.toString())).request_id, tokens);
    this.#lastMs = Date.now();
  }

  #addData({ path, headers, body }: PassingRequest): void {
    this.#lastMs = Date.now();
    if (headers["content-type"]?.includes(PROTOBUF) === true) {
      const { data, forwardOnly } = decodeForwardBackwardRequest(body);
      const tokens = data.reduce((sum, datum) => sum + datum.tokens.length, 0);
      this.#counted[forwardOnly ? "prefill_uncached" : "trained"] += tokens;
      return;
    }
    const { data } = wholeLossBody.parse(JSON.parse(body.toString()));
    for (const { model_input } of data) {
      const tokens = model_input.chunks.reduce((sum, chunk) => sum + chunk.tokens.length, 0);
      this.#counted[path.endsWith("forward") ? "prefill_uncached" : "trained"] += tokens;
    }
  }

  #addResult(answer: PassingAnswer, to: PassingRequest): void {
    const { request_id: id } = future.parse(JSON.parse(to.body.toString()));
    const promptTokens = this.#samples.get(id);
    if (promptTokens === undefined || !answer.type.includes(PROTOBUF)) return;
    this.#samples.delete(id);
    this.#lastMs = Date.now();
    const { sequences, promptCacheHitTokens } = decodeSampleResponse(answer.body);
    this.#counted.sampled += sequences.reduce((sum, { tokens }) => sum + tokens.length, 0);
    this.#counted.prefill_cached += promptCacheHitTokens;
    this.#counted.prefill_uncached += promptTokens - promptCacheHitTokens;
  }
}
