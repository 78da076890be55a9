/** A server with the gaps of compatible servers: no sampler names, no one-call resume, its own model ids and metrics. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import * as z from "zod";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
} from "../../src/core/tinker/wire/forwardBackwardProto.ts";
import { encodeSampleResponse } from "../../src/core/tinker/wire/sampleProto.ts";
import { type Served, serveHere } from "../fakes/serveHere.ts";

export interface StubOptions {
  /** Produces the tokens of a sample. */
  readonly sample: (prompt: readonly number[]) => readonly number[];
}

/** The model that it trains. */
export const STUB_MODEL = "any/model";

export interface StubCall {
  readonly path: string;
  readonly body: Body;
}

export interface Stub extends Served {
  /** All calls except polls and heartbeats, in order of arrival. */
  readonly calls: readonly StubCall[];
}

interface Reply {
  readonly status: number;
  readonly content: unknown;
}

const bodySchema = z.looseObject({
  request_id: z.string().optional(),
  tags: z.unknown().optional(),
  model_id: z.string().optional(),
  path: z.string().optional(),
  loss_fn: z.string().optional(),
  prompt: z.object({ chunks: z.array(z.object({ tokens: z.array(z.number()) })) }).optional(),
  prompt_logprobs: z.boolean().optional(),
  sampling_params: z.object({ stop: z.unknown().optional() }).optional(),
  /** Target tokens of each datum. */
  targets: z.array(z.array(z.number())).optional(),
});
type Body = z.output<typeof bodySchema>;

export async function startStub(options: StubOptions): Promise<Stub> {
  const calls: StubCall[] = [];
  const service = new GappyService(options);
  const served = await serveHere((request, response) => {
    answer(service, calls, request, response).catch((error: unknown) => {
      send(response, refusal(400, String(error)));
    });
  });
  return { ...served, calls };
}

async function answer(
  service: GappyService,
  calls: StubCall[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "").replace("/api/v1/", "");
  const bytes = await buffer(request);
  const isBinary = request.headers["content-type"] === "application/x-protobuf";
  const json = (): Body => bodySchema.parse(bytes.length === 0 ? {} : JSON.parse(`${bytes}`));
  const body = isBinary ? binaryLoss(bytes) : json();
  if (path !== "retrieve_future" && path !== "session_heartbeat") calls.push({ path, body });
  send(response, service.reply(path, body));
}

function binaryLoss(bytes: Uint8Array): Body {
  const { modelId, lossFn, data } = decodeForwardBackwardRequest(bytes);
  const targets = data.map(({ lossInputs }) => [...(lossInputs["target_tokens"]?.values ?? [])]);
  return bodySchema.parse({ model_id: modelId, loss_fn: lossFn, targets });
}

function send(response: ServerResponse, { status, content }: Reply): void {
  const isBinary = content instanceof Uint8Array;
  const bytes = isBinary ? content : Buffer.from(JSON.stringify(content));
  response.writeHead(status, {
    "Content-Type": isBinary ? "application/x-protobuf" : "application/json",
    "Content-Length": bytes.length,
  });
  response.end(bytes);
}

function ok(content: unknown): Reply {
  return { status: 200, content };
}

function refusal(status: number, detail: string): Reply {
  return { status, content: { detail } };
}

class GappyService {
  readonly #sampleOf: (prompt: readonly number[]) => readonly number[];
  readonly #results = new Map<string, Reply>();
  readonly #saved = new Set<string>();
  #count = 0;

  constructor({ sample }: StubOptions) {
    this.#sampleOf = sample;
  }

  reply(path: string, body: Body): Reply {
    switch (path) {
      case "client/config":
        return ok({ pjwt_auth_enabled: false });
      case "get_server_capabilities":
        return ok({ supported_models: [{ model_name: STUB_MODEL, max_context_length: 65_536 }] });
      case "create_session":
        return Array.isArray(body.tags) ? ok({ session_id: "session1" }) : refusal(422, "tags");
      case "session_heartbeat":
        return ok({});
      case "get_info":
        return ok({ model_id: body.model_id, model_data: { model_name: STUB_MODEL } });
      case "weights_info":
        return ok({ base_model: STUB_MODEL, lora_rank: 8 });
      case "create_sampling_session":
        return ok({ sampling_session_id: this.#name("sampling") });
      case "retrieve_future":
        return this.#results.get(body.request_id ?? "") ?? refusal(500, "Internal Server Error");
      default:
        return this.#submit(path, body);
    }
  }

  #submit(path: string, body: Body): Reply {
    const result = this.#operation(path, body);
    if (result === null) return refusal(404, "Not Found");
    if (result.status === 409 || result.status === 422) return result;
    const id = this.#name("request");
    this.#results.set(id, result);
    return ok({ request_id: id });
  }

  #operation(path: string, body: Body): Reply | null {
    switch (path) {
      case "create_model":
        return ok({ model_id: this.#name("model") });
      case "load_weights":
        return body.model_id === undefined ? refusal(422, "model_id: Field required") : ok({});
      case "forward_backward":
        return this.#loss(body);
      case "optim_step":
        return ok({ metrics: { "server/grad_norm": 0.5, "server/learning_rate": null } });
      case "save_weights":
      case "save_weights_for_sampler":
        return this.#save(path, body);
      case "asample":
        return this.#sample(body);
      default:
        return null;
    }
  }

  /** Polls of a failed job get a 400. */
  #loss({ loss_fn: lossFn, targets = [] }: Body): Reply {
    if (lossFn === "dro") return refusal(400, "Unknown loss function: dro");
    const rows = targets.map((row) => row.map((token) => -token));
    const outputs = rows.map((row) => ({ logprobs: Float32Array.from(row) }));
    return ok(encodeForwardBackwardOutput({ outputs, metrics: {} }));
  }

  /** Samplers without a name get an id without colons; named ones get a path without a kind. */
  #save(path: string, { model_id: model = "", path: name }: Body): Reply {
    if (name === undefined) return ok({ sampling_session_id: this.#name("sampling") });
    const kind = path === "save_weights" ? "weights/" : "";
    const saved = `tinker://${model}/${kind}${name}`;
    if (this.#saved.has(saved)) return refusal(409, "Checkpoint already exists");
    this.#saved.add(saved);
    return ok({ path: saved });
  }

  /** Stops must be a list; prompt scores omit the first token. */
  #sample({ prompt, prompt_logprobs: withScores, sampling_params: params }: Body): Reply {
    if (typeof params?.stop === "string") return refusal(422, "stop: Input should be a list");
    const given = prompt?.chunks[0]?.tokens ?? [];
    const scores = given.slice(1).map((token) => -token);
    const promptLogprobs = withScores === true ? Float32Array.from(scores) : null;
    const tokens = Int32Array.from(this.#sampleOf(given));
    const sequence = {
      stopReason: "stop",
      tokens,
      logprobs: Float32Array.from(tokens, (_, i) => -0.5 / (i + 1)),
    } as const;
    return ok(
      encodeSampleResponse({
        sequences: [sequence],
        promptLogprobs,
        promptCacheHitTokens: 0,
      }),
    );
  }

  #name(kind: string): string {
    this.#count += 1;
    return `${kind}${this.#count}`;
  }
}
