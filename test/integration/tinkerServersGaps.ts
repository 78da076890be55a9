/**
 * The gaps and deviations of SkyRL's Tinker server (`docs/protocols/tinker.md#other-servers`), as filters before a complete server
 * that really trains. Reports per-token losses, as SkyRL's JAX backend does. Not imitated: samplers that follow the trainer's weights
 * (clients must order their requests so that this does no harm), averaged gradients, and missing bounds.
 */

import * as z from "zod";
import { type DocumentedLoss, policyLoss } from "../../src/core/serverChecks/policyLosses.ts";
import {
  decodeForwardBackwardOutput,
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
  type ForwardBackwardCall,
} from "../../src/core/tinker/wire/forwardBackwardProto.ts";
import {
  decodeSampleResponse,
  encodeSampleResponse,
} from "../../src/core/tinker/wire/sampleProto.ts";
import type { Filter, PassingAnswer, PassingRequest } from "./tinkerServersProxy.ts";

/** Requests to a server, in order of arrival. */
export interface SeenCall {
  readonly path: string;
  readonly modelId: string | null;
  readonly seqId: number | null;
  /** The `stop` of `asample` as sent. */
  readonly stop: unknown;
  /** The number of datums of `forward_backward`. */
  readonly datums: number | null;
}

export interface GappyServer extends Filter {
  readonly calls: readonly SeenCall[];
  /** Statuses of refusals with their paths, such as `422 load_weights`. */
  readonly refusals: readonly string[];
}

const PROTOBUF = "application/x-protobuf";
const NAME = /^[A-Za-z0-9_-]+$/;
const ABSENT = /^(client\/dynamic_config|sessions\/|cancel_future|retrieve_futures|telemetry)/;

const bodySchema = z.looseObject({
  request_id: z.string().optional(),
  tags: z.array(z.string()).optional(),
  model_id: z.string().optional(),
  seq_id: z.number().optional(),
  path: z.string().optional(),
  model_path: z.string().optional(),
  sampling_params: z.looseObject({ stop: z.unknown() }).optional(),
  adam_params: z.record(z.string(), z.unknown()).optional(),
});
type Body = z.output<typeof bodySchema>;

const capabilitiesSchema = z.object({
  supported_models: z.array(z.object({ model_name: z.string() })),
});
const pendingFutureSchema = z.looseObject({ request_id: z.string() });
const failureSchema = z.object({ error: z.string() });
const savedSchema = z.object({ path: z.string() });

/** Replaces texts in requests and answers, in both directions; their lengths must match, because binary bodies are length-prefixed. */
export function renaming(there: string, here: string): Filter {
  return {
    request: (passing) => ({ ...passing, body: replaced(passing.body, here, there) }),
    answer: (answer) => ({ ...answer, body: replaced(answer.body, there, here) }),
  };
}

/** The first filter is the one closest to the client. */
export function chained(outer: Filter, inner: Filter): Filter {
  return {
    request: (passing) => {
      const onward = outer.request(passing);
      return "status" in onward ? onward : inner.request(onward);
    },
    answer: (answer, to) => outer.answer(inner.answer(answer, to), to),
  };
}

export function skyRlGaps(): GappyServer {
  const gaps = new Gaps();
  // Ids there have no colons, so they cannot be predicted.
  const ids = chained(renaming(":train:", "_train_"), renaming(":sample:", "_sample_"));
  return {
    ...chained({ request: (r) => gaps.request(r), answer: (a, to) => gaps.answer(a, to) }, ids),
    calls: gaps.calls,
    refusals: gaps.refusals,
  };
}

class Gaps implements Filter {
  readonly calls: SeenCall[] = [];
  readonly refusals: string[] = [];
  /** The endpoint that created each ticket. */
  readonly #tickets = new Map<string, string>();
  readonly #losses = new Map<string, ForwardBackwardCall>();
  readonly #doomed = new Set<string>();
  readonly #saved = new Set<string>();

  request(passing: PassingRequest): PassingRequest | PassingAnswer {
    const path = endpoint(passing);
    const body = readBody(passing);
    if (path !== "retrieve_future" && path !== "session_heartbeat") this.#note(passing, body);
    const refusal = this.#refusal(passing, body);
    if (refusal === null) return { ...passing, body: onward(passing, body) };
    this.refusals.push(`${refusal.status} ${path.replace(/^sessions\/[^/]+/, "sessions/ID")}`);
    return refusal;
  }

  answer(answer: PassingAnswer, to: PassingRequest): PassingAnswer {
    const path = endpoint(to);
    if (path === "client/config") return json(200, { pjwt_auth_enabled: false });
    if (path === "get_server_capabilities") return json(200, namesOnly(parsed(answer.body)));
    if (path === "retrieve_future") return this.#result(answer, to);
    if (answer.status !== 200) return answer;
    const ticket = pendingFutureSchema.safeParse(parsed(answer.body));
    if (!ticket.success) return answer;
    const { request_id: id, sample_sequence_ids: _, ...rest } = ticket.data;
    this.#tickets.set(id, path);
    const call = isBinary(to) ? decodeForwardBackwardRequest(to.body) : null;
    if (call !== null) this.#losses.set(id, call);
    if (call?.lossFn === "dro") this.#doomed.add(id);
    return json(200, { request_id: id, ...rest });
  }

  #note(passing: PassingRequest, body: Body): void {
    const loss = isBinary(passing) ? decodeForwardBackwardRequest(passing.body) : null;
    this.calls.push({
      path: endpoint(passing),
      modelId: loss?.modelId ?? body.model_id ?? null,
      seqId: loss?.seqId ?? body.seq_id ?? null,
      stop: body.sampling_params?.stop,
      datums: loss?.data.length ?? null,
    });
  }

  #refusal(passing: PassingRequest, body: Body): PassingAnswer | null {
    const path = endpoint(passing);
    if (ABSENT.test(path) || passing.method === "DELETE") return refused(404, "Not Found");
    switch (path) {
      case "create_session":
        return body.tags === undefined ? missing("tags") : null;
      case "load_weights":
        return body.model_id === undefined ? missing("model_id") : null;
      case "asample":
        return typeof body.sampling_params?.stop === "string" ? refused(422, "stop") : null;
      case "save_weights":
      case "save_weights_for_sampler":
        return this.#saveRefusal(path, body);
      default:
        return null;
    }
  }

  #saveRefusal(path: string, { model_id: model, path: name }: Body): PassingAnswer | null {
    if (name === undefined) return null;
    if (!NAME.test(name)) return refused(422, "path: String should match pattern");
    const saved = `${path} ${model} ${name}`;
    if (this.#saved.has(saved)) return refused(409, "Checkpoint already exists");
    this.#saved.add(saved);
    return null;
  }

  /** A failed job is reported as a refused poll, and so is an unknown loss. */
  #result(answer: PassingAnswer, to: PassingRequest): PassingAnswer {
    const id = readBody(to).request_id ?? "";
    if (this.#doomed.has(id)) return refused(400, "Unknown loss function: dro");
    if (answer.status === 404) return refused(500, "Internal Server Error");
    if (answer.status !== 200) return answer;
    const operation = this.#tickets.get(id);
    if (answer.type.includes(PROTOBUF)) {
      const call = this.#losses.get(id);
      return {
        ...answer,
        body: call === undefined ? sampleResult(answer) : lossResult(answer, call),
      };
    }
    const value = parsed(answer.body);
    const failure = failureSchema.safeParse(value);
    if (failure.success) return refused(400, failure.data.error);
    if (operation === "optim_step") return json(200, optimizerMetrics);
    const saved = savedSchema.safeParse(value);
    if (operation !== "save_weights_for_sampler" || !saved.success) return answer;
    return json(200, { path: saved.data.path.replace("/sampler_weights/", "/") });
  }
}

function namesOnly(value: unknown) {
  const { supported_models: models } = capabilitiesSchema.parse(value);
  return { supported_models: models.map(({ model_name }) => ({ model_name })) };
}

const optimizerMetrics = {
  metrics: { "skyrl.ai/grad_norm": 0.5, "skyrl.ai/learning_rate": 0.001 },
};

/** No entry for the first token of a prompt. */
function sampleResult({ body }: PassingAnswer): Buffer {
  const result = decodeSampleResponse(body);
  const promptLogprobs = result.promptLogprobs?.slice(1) ?? null;
  return Buffer.from(encodeSampleResponse({ ...result, promptLogprobs }));
}

/** The loss of each token instead of metrics. */
function lossResult(
  { body }: PassingAnswer,
  { data, lossFn, lossConfig }: ForwardBackwardCall,
): Buffer {
  // The server behind has accepted them.
  const loss = policyLoss(lossFn as DocumentedLoss, lossConfig as Readonly<Record<string, number>>);
  const outputs = decodeForwardBackwardOutput(body).outputs.map(({ logprobs }, d) => {
    const { logprobs: q, advantages } = data[d]?.lossInputs ?? {};
    const tokens = Array.from(logprobs, (p, i) => ({
      p,
      q: q?.values[i] ?? 0,
      advantage: advantages?.values[i] ?? 0,
    }));
    return { logprobs, losses: Float32Array.from(loss(tokens)) };
  });
  return Buffer.from(encodeForwardBackwardOutput({ outputs, metrics: {} }));
}

/** Drops fields that the server ignores; stored samplers get their full path back. */
function onward(passing: PassingRequest, body: Body): Buffer {
  if (isBinary(passing) || passing.body.length === 0) return passing.body;
  const { ttl_seconds: _, overwrite: __, model_path: path, adam_params: adam, ...rest } = body;
  const ownAdam = { ...adam, grad_clip_norm: undefined };
  return Buffer.from(
    JSON.stringify({
      ...rest,
      ...(adam !== undefined && { adam_params: ownAdam }),
      ...(path !== undefined && {
        model_path: path.replace(/^(tinker:\/\/[^/]+)\/([^/]+)$/, "$1/sampler_weights/$2"),
      }),
    }),
  );
}

function endpoint({ path }: PassingRequest): string {
  return path.replace(/^\/api\/v1\//, "");
}

function isBinary({ headers }: PassingRequest): boolean {
  return headers["content-type"] === PROTOBUF;
}

function readBody(passing: PassingRequest): Body {
  if (isBinary(passing) || passing.body.length === 0) return {};
  return bodySchema.parse(parsed(passing.body));
}

function parsed(body: Buffer): unknown {
  return JSON.parse(body.toString());
}

function json(status: number, content: unknown): PassingAnswer {
  return { status, type: "application/json", body: Buffer.from(JSON.stringify(content)) };
}

function refused(status: number, detail: unknown): PassingAnswer {
  return json(status, { detail });
}

function missing(field: string): PassingAnswer {
  return refused(422, [{ loc: ["body", field], msg: "Field required", type: "missing" }]);
}

/** Byte by byte, so that binary bodies stay intact. */
function replaced(body: Buffer, from: string, to: string): Buffer {
  return Buffer.from(body.toString("latin1").replaceAll(from, to), "latin1");
}
