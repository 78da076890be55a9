/** One batch through the model: cut into chunks, posted in turn, and put together again. */

import type { Accepted } from "./operations.ts";
import { readForwardBackwardResult } from "./results.ts";
import { submitInTurn, type TrainingRequestOptions } from "./trainingRequests.ts";
import { tinkerError } from "./transport/errors.ts";
import { combineResults } from "./wire/combine.ts";
import { chunkData, type Datum, toWireData } from "./wire/datum.ts";
import type { ForwardBackwardResult, LossConfig, WireDatum } from "./wire/forwardBackwardProto.ts";

export interface LossCall {
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
  readonly mayBeRefused: boolean;
}

/** Takes its numbers in the model's sequence before it returns. @throws AppError `tinker-*` */
export async function forwardBackward(
  options: TrainingRequestOptions,
  data: readonly Datum[],
  call: LossCall,
): Promise<ForwardBackwardResult> {
  const { queue, config } = options;
  const wireData = toWireData(data, call.lossFn, call);
  const chunks = chunkData(wireData, {
    maxDatums: config.fwdbwd_max_chunk_len,
    maxBytes: config.fwdbwd_max_chunk_bytes_count,
  });
  const accepted = queue.enqueue(
    "forward_backward",
    chunks.length,
    (firstSeqId) => postChunks(options, chunks, call, firstSeqId),
    call,
  );
  const lengths = wireData.map(({ tokens }) => tokens.length);
  return resultsOf(options, accepted, lengths);
}

/** Knows the lengths of the data only: what was sent takes no memory while the service trains. */
async function resultsOf(
  { operations, session }: TrainingRequestOptions,
  accepted: Promise<readonly Accepted[]>,
  lengths: readonly number[],
): Promise<ForwardBackwardResult> {
  const results = await Promise.all(
    (await accepted).map(async (chunk) => {
      const { signal } = session;
      return readForwardBackwardResult(await operations.result(chunk, { signal }));
    }),
  );
  const combined = combineResults(results);
  checkOutputs(combined, lengths);
  return combined;
}

/** The first chunk goes last, so that the server sees the whole batch at once: `docs/protocols/tinker.md#chunks`. */
async function postChunks(
  options: TrainingRequestOptions,
  chunks: readonly (readonly WireDatum[])[],
  call: LossCall,
  firstSeqId: number,
): Promise<readonly Accepted[]> {
  const { info, config, lossEncoding } = options;
  const accepted: Accepted[] = [];
  const type = call.forwardOnly ? "Forward" : "ForwardBackward";
  const post = async (index: number) => {
    const seqId = firstSeqId + index;
    const chunk = { modelId: info.modelId, seqId, data: chunks[index] ?? [], ...call };
    accepted[index] = await lossEncoding.submit(chunk, (request) =>
      submitInTurn(options, { type, ...request }),
    );
  };
  const isFirstLast = config.parallel_fwdbwd_chunks && chunks.length > 1;
  for (let index = isFirstLast ? 1 : 0; index < chunks.length; index++) await post(index);
  if (isFirstLast) await post(0);
  return accepted;
}

function checkOutputs({ outputs }: ForwardBackwardResult, lengths: readonly number[]): void {
  if (outputs.length !== lengths.length) {
    throw tinkerError(
      "tinker-protocol",
      `forward_backward of ${lengths.length} datums returned ${outputs.length} outputs`,
    );
  }
  lengths.forEach((length, index) => {
    const count = outputs[index]?.logprobs.length;
    if (count !== length) {
      throw tinkerError(
        "tinker-protocol",
        `forward_backward returned ${count} log-probs for the ${length} tokens of datum ${index}`,
      );
    }
  });
}
