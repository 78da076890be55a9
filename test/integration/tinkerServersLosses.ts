/** Filters before a complete server that change its loss. */

import * as z from "zod";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardRequest,
} from "../../src/core/tinker/wire/forwardBackwardProto.ts";
import {
  decodeSampleResponse,
  encodeSampleResponse,
} from "../../src/core/tinker/wire/sampleProto.ts";
import type { Filter, PassingRequest } from "./tinkerServersProxy.ts";

const PROTOBUF = "application/x-protobuf";
const requestSchema = z.object({ request_id: z.string() });
const sampleSchema = z.object({ sampling_params: z.object({ temperature: z.number() }) });

/** Computes importance_sampling, whatever loss is requested. */
export function deafToLoss(): Filter {
  return {
    request: (passing) => {
      if (!isLoss(passing)) return passing;
      const call = decodeForwardBackwardRequest(passing.body);
      const heard = { ...call, lossFn: "importance_sampling", lossConfig: {} };
      return { ...passing, body: Buffer.from(encodeForwardBackwardRequest(heard)) };
    },
    answer: (answer) => answer,
  };
}

/** Reports log-probabilities of samples as p/T: all samples after one prompt are off by the same amount. */
export function temperedLogprobs(): Filter {
  return changingResults(
    (to) => {
      if (!to.path.endsWith("/asample")) return null;
      return sampleSchema.parse(JSON.parse(to.body.toString())).sampling_params.temperature;
    },
    (body, temperature) => {
      const result = decodeSampleResponse(body);
      const sequences = result.sequences.map((sequence) => ({
        ...sequence,
        logprobs: sequence.logprobs?.map((logprob) => logprob / temperature) ?? null,
      }));
      return encodeSampleResponse({ ...result, sequences });
    },
  );
}

/** Changes the binary results of the requests for which `noted` returns a number, by that number. */
function changingResults(
  noted: (to: PassingRequest) => number | null,
  change: (body: Buffer, number: number) => Uint8Array,
): Filter {
  /** By ticket. */
  const numbers = new Map<string, number>();
  return {
    request: (passing) => passing,
    answer: (answer, to) => {
      if (answer.status !== 200) return answer;
      const number = noted(to);
      if (number !== null) numbers.set(ticketIn(answer.body), number);
      if (!to.path.endsWith("/retrieve_future") || !answer.type.includes(PROTOBUF)) return answer;
      const own = numbers.get(ticketIn(to.body));
      return own === undefined
        ? answer
        : { ...answer, body: Buffer.from(change(answer.body, own)) };
    },
  };
}

function ticketIn(body: Buffer): string {
  return requestSchema.parse(JSON.parse(body.toString())).request_id;
}

function isLoss({ path, headers }: PassingRequest): boolean {
  return path.endsWith("/forward_backward") && headers["content-type"] === PROTOBUF;
}
