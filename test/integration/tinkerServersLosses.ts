/** Filters before a complete server that make it one with a loss of its own. */

import * as z from "zod";
import {
  decodeForwardBackwardOutput,
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
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

/** Computes importance_sampling, whatever it is asked for. */
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

/** Reports the loss as `loss:mean`, the mean over all tokens with an advantage. */
export function averagingLoss(): Filter {
  /** Tokens that each ticket is about. */
  const tokens = new Map<string, number>();
  return {
    request: (passing) => passing,
    answer: (answer, to) => {
      if (answer.status !== 200) return answer;
      if (isLoss(to)) {
        const { data } = decodeForwardBackwardRequest(to.body);
        const advantages = data.flatMap(({ lossInputs }) => [
          ...(lossInputs["advantages"]?.values ?? []),
        ]);
        const { request_id: id } = requestSchema.parse(JSON.parse(answer.body.toString()));
        tokens.set(id, advantages.filter((advantage) => advantage !== 0).length);
        return answer;
      }
      if (!to.path.endsWith("/retrieve_future") || !answer.type.includes(PROTOBUF)) return answer;
      const { request_id: id } = requestSchema.parse(JSON.parse(to.body.toString()));
      const count = tokens.get(id);
      if (count === undefined) return answer;
      const { outputs, metrics } = decodeForwardBackwardOutput(answer.body);
      const mean = { "loss:mean": (metrics["loss:sum"] ?? 0) / count };
      return {
        ...answer,
        body: Buffer.from(encodeForwardBackwardOutput({ outputs, metrics: mean })),
      };
    },
  };
}

/** Reports log-probabilities of samples as p/T: all of them after one prompt are off by the same. */
export function temperedLogprobs(): Filter {
  const temperatures = new Map<string, number>();
  return {
    request: (passing) => passing,
    answer: (answer, to) => {
      if (answer.status !== 200) return answer;
      if (to.path.endsWith("/asample")) {
        const { sampling_params: params } = sampleSchema.parse(JSON.parse(to.body.toString()));
        const { request_id: id } = requestSchema.parse(JSON.parse(answer.body.toString()));
        temperatures.set(id, params.temperature);
        return answer;
      }
      if (!to.path.endsWith("/retrieve_future") || !answer.type.includes(PROTOBUF)) return answer;
      const { request_id: id } = requestSchema.parse(JSON.parse(to.body.toString()));
      const temperature = temperatures.get(id);
      if (temperature === undefined) return answer;
      const result = decodeSampleResponse(answer.body);
      const sequences = result.sequences.map((sequence) => ({
        ...sequence,
        logprobs: sequence.logprobs?.map((logprob) => logprob / temperature) ?? null,
      }));
      return { ...answer, body: Buffer.from(encodeSampleResponse({ ...result, sequences })) };
    },
  };
}

function isLoss({ path, headers }: PassingRequest): boolean {
  return path.endsWith("/forward_backward") && headers["content-type"] === PROTOBUF;
}
