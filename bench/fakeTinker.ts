/** A Tinker server without real work: canned samples after a delay, and training results of the right shape. */

import * as z from "zod";
import { createControlTokens } from "../src/core/chat/controlTokens.ts";
import type { Tokenizer } from "../src/core/chat/tokenizer.ts";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
} from "../src/core/tinker/wire/forwardBackwardProto.ts";
import { encodeSampleResponse } from "../src/core/tinker/wire/sampleProto.ts";
import { systemClock } from "../src/node/clock.ts";
import { type FakePace, SteadyPace } from "./fakePace.ts";
import { type FakeAnswer, type FakeReply, jsonReply } from "./fakeServer.ts";
import { CALLS_BEFORE_ANSWER } from "./fakeTimes.ts";

const LOGPROB = -0.5;

/** Filler for longer turns. */
const SENTENCE = " I have to work out the sum first.";
const SENTENCE_TOKENS = 9;
const CALL_TURN =
  'I have to work out 12*34 first, so I ask.\n<tool_call>\n{"name": "calc", "arguments": {"expr": "12*34"}}\n</tool_call><|im_end|>';
const ANSWER_TURN =
  'Now I know the result, 408.\n<tool_call>\n{"name": "answer", "arguments": {"value": "408"}}\n</tool_call><|im_end|>';

/** Elements are not validated, because that would take time. */
const tokens = z.custom<readonly number[]>(Array.isArray);
const sampleBody = z.object({
  prompt: z.object({ chunks: z.array(z.object({ tokens })) }),
  sampling_params: z.object({ seed: z.number() }),
});
type SampleBody = z.output<typeof sampleBody>;
const futureBody = z.object({ request_id: z.string() });
const namedBody = z.object({ path: z.string().optional() });

export interface FakeTinkerOptions {
  /** The only model offered. */
  readonly modelName: string;
  readonly tokenizer: Tokenizer;
  readonly pace?: FakePace;
  /** Approximate number of tokens per turn; absent = a sentence and a call. */
  readonly turnTokens?: number;
}

interface Future {
  /** In terms of `Date.now()`. */
  readonly readyAtMs: number | Promise<number>;
  readonly reply: FakeReply;
}

interface Sample {
  readonly tokens: number;
  readonly reply: FakeReply;
}

/** Answers everything that a training run requests. */
export function fakeTinker(options: FakeTinkerOptions): FakeAnswer {
  const { modelName, tokenizer, pace = new SteadyPace() } = options;
  const futures = new Map<string, Future>();
  const sampleFor = cannedSamples(tokenizer, options.turnTokens);
  let count = 0;
  const submit = (reply: FakeReply, readyAtMs: Future["readyAtMs"]): FakeReply => {
    const id = `request${count++}`;
    futures.set(id, { readyAtMs, reply });
    return jsonReply({ request_id: id, sample_sequence_ids: [`${id}:0`] });
  };
  const collect = async (body: unknown): Promise<FakeReply | null> => {
    const id = futureBody.parse(body).request_id;
    const future = futures.get(id);
    if (future === undefined) return null;
    // Results are kept, because a client retries a poll that was cut off.
    await systemClock.sleep((await future.readyAtMs) - Date.now());
    return future.reply;
  };
  const answerJson = async (call: string, json: unknown): Promise<FakeReply | null> => {
    if (call === "retrieve_future") return await collect(json);
    if (call === "asample") {
      const body = sampleBody.parse(json);
      const { tokens, reply } = sampleFor(body);
      return submit(reply, pace.sample(tokens, body.sampling_params.seed));
    }
    const result = operationResult(call, json);
    if (result === null) return plainAnswer(call, modelName);
    return submit(jsonReply(result), call === "optim_step" ? pace.update() : 0);
  };
  return async ({ path, body }) => {
    const call = path.replace("/api/v1/", "");
    if (call === "forward_backward") return submit(trainingResult(body), pace.training());
    return await answerJson(call, body.length === 0 ? {} : JSON.parse(body.toString()));
  };
}

/** The next turn for each prompt: calls first, then the answer once the prompt contains enough of them. */
function cannedSamples(tokenizer: Tokenizer, turnTokens = 0): (body: SampleBody) => Sample {
  const controls = createControlTokens(tokenizer);
  // The instructions in a prompt contain an example call, but never a result.
  const resultEnd = controls.idOf("</tool_response>");
  const padding = SENTENCE.repeat(turnTokens / SENTENCE_TOKENS);
  const canned = (turn: string): Sample => {
    const tokens = controls.encode(`${padding}${turn}`);
    return { tokens: tokens.length, reply: protobufReply(sampleOf(tokens)) };
  };
  const callTurn = canned(CALL_TURN);
  const answerTurn = canned(ANSWER_TURN);
  return ({ prompt }) => {
    const ids = prompt.chunks.flatMap((chunk) => chunk.tokens);
    const calls = ids.filter((token) => token === resultEnd).length;
    return calls < CALLS_BEFORE_ANSWER ? callTurn : answerTurn;
  };
}

function sampleOf(tokens: readonly number[]): Uint8Array {
  const sequence = {
    stopReason: "stop",
    tokens: Int32Array.from(tokens),
    logprobs: new Float32Array(tokens.length).fill(LOGPROB),
  } as const;
  return encodeSampleResponse({
    sequences: [sequence],
    promptLogprobs: null,
    promptCacheHitTokens: 0,
  });
}

function trainingResult(body: Uint8Array): FakeReply {
  const { data } = decodeForwardBackwardRequest(body);
  const outputs = data.map(({ tokens }) => ({
    logprobs: new Float32Array(tokens.length).fill(LOGPROB),
  }));
  return protobufReply(encodeForwardBackwardOutput({ outputs, metrics: { "loss:sum": 1 } }));
}

function protobufReply(body: Uint8Array): FakeReply {
  return { contentType: "application/x-protobuf", body };
}

/** Result of a call that is first answered with a future; null for all others. */
function operationResult(call: string, body: unknown): object | null {
  switch (call) {
    case "create_model":
      return { model_id: "model" };
    case "optim_step":
      return { metrics: {} };
    case "save_weights":
      return { path: `tinker://model/weights/${namedBody.parse(body).path}` };
    case "save_weights_for_sampler":
      return samplerResult(namedBody.parse(body).path);
    default:
      return null;
  }
}

function samplerResult(name: string | undefined): object {
  if (name === undefined) return { sampling_session_id: "sampler" };
  return { path: `tinker://model/sampler_weights/${name}` };
}

function plainAnswer(call: string, modelName: string): FakeReply | null {
  if (call.includes("/checkpoints/")) return jsonReply({});
  switch (call) {
    case "client/config":
      return jsonReply({ pjwt_auth_enabled: false });
    case "create_session":
      return jsonReply({ session_id: "session" });
    case "get_server_capabilities":
      return jsonReply({ supported_models: [{ model_name: modelName }] });
    case "get_info":
      return jsonReply({ model_id: "model", model_data: { model_name: modelName } });
    case "create_sampling_session":
      return jsonReply({ sampling_session_id: "sampler" });
    case "session_heartbeat":
      return jsonReply({});
    default:
      return null;
  }
}
