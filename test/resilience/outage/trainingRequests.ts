/** Records every request that changes a model, each time it was sent, to check that it was sent and executed correctly. */

import { createHash } from "node:crypto";
import * as z from "zod";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardRequest,
} from "../../../src/core/tinker/wire/forwardBackwardProto.ts";
import type { Passage } from "./faultProxy.ts";

const OPERATION =
  /^\/api\/v1\/(forward_backward|optim_step|save_weights|save_weights_for_sampler)$/;
const LOSS = "forward_backward";
const bodySchema = z.looseObject({ model_id: z.string(), seq_id: z.int() });
const pendingFutureSchema = z.looseObject({ request_id: z.string() });

/** A request by its number, which the client assigns once and the service executes once. */
interface Numbered {
  readonly operation: string;
  /** Digest without the model's id and number: the same in another attempt of the run. */
  readonly content: string;
  /** Digests of the bytes, one per time it was sent. */
  readonly sent: string[];
  /** The ids in the service's answers, one per answer. */
  readonly tickets: Set<string>;
  /** Its sender was killed before it had an answer. */
  isCut: boolean;
}

export class TrainingRequests {
  readonly #requests = new Map<string, Numbered>();

  note({ path, body, answer }: Passage): void {
    const operation = OPERATION.exec(path)?.[1];
    if (operation === undefined) return;
    const { modelId, seqId, content } = operation === LOSS ? readLoss(body) : readJson(body);
    const key = `${modelId}:${seqId}`;
    const known = this.#requests.get(key);
    const request = known ?? {
      operation,
      content,
      sent: [],
      tickets: new Set<string>(),
      isCut: false,
    };
    this.#requests.set(key, request);
    request.sent.push(digest(body));
    if (answer?.status === 200) {
      request.tickets.add(pendingFutureSchema.parse(JSON.parse(answer.body.toString())).request_id);
    }
  }

  /** The trainer was killed: its requests get no answers. */
  endAttempt(): void {
    for (const request of this.#all()) request.isCut ||= request.tickets.size === 0;
  }

  /** Requests for a gradient so far. */
  get losses(): number {
    return this.#all().filter(({ operation }) => operation === LOSS).length;
  }

  get count(): number {
    return this.#requests.size;
  }

  /** The number of resends. */
  get resends(): number {
    return this.#all().reduce((sum, { sent }) => sum + sent.length - 1, 0);
  }

  /** Numbers that were sent with different bytes. */
  get changed(): readonly string[] {
    return this.#keys(({ sent }) => new Set(sent).size > 1);
  }

  /** Numbers that the service accepted more than once, or never although the sender was alive. */
  get notOnce(): readonly string[] {
    return this.#keys(({ tickets, isCut }) => tickets.size !== 1 && !(isCut && tickets.size === 0));
  }

  /** Digests of the operation's requests. */
  contents(operation: string): readonly string[] {
    const own = this.#all().filter((request) => request.operation === operation);
    return [...new Set(own.map(({ content }) => content))].sort();
  }

  #all(): readonly Numbered[] {
    return [...this.#requests.values()];
  }

  #keys(isAmong: (request: Numbered) => boolean): readonly string[] {
    return [...this.#requests].filter(([, request]) => isAmong(request)).map(([key]) => key);
  }
}

function readLoss(body: Buffer) {
  const call = decodeForwardBackwardRequest(body);
  const content = encodeForwardBackwardRequest({ ...call, modelId: "", seqId: 0 });
  return { modelId: call.modelId, seqId: call.seqId, content: digest(content) };
}

function readJson(body: Buffer) {
  const {
    model_id: modelId,
    seq_id: seqId,
    ...rest
  } = bodySchema.parse(JSON.parse(body.toString()));
  return { modelId, seqId, content: digest(JSON.stringify(rest)) };
}

function digest(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
