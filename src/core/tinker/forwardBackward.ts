/** Runs one batch through the model: splits it into chunks, posts them in order, and combines the results. */

import type { TrainingRequestOptions } from "./models.ts";
import type { Accepted } from "./operations.ts";
import { readForwardBackwardResult } from "./results.ts";
import { tinkerError } from "./transport/errors.ts";
import { chunkData, type Datum, toWireData } from "./wire/datum.ts";
import type { ForwardBackwardResult, LossConfig, WireDatum } from "./wire/forwardBackwardProto.ts";

interface LossCall {
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
  readonly mayBeRefused: boolean;
}

/** Reserves its numbers in the model's sequence before it returns. @throws AppError `tinker-*` */
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

/** Takes only the lengths of the data, so that the submitted batch can be freed while the service trains. */
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
  const { info, config, lossEncoding, operations } = options;
  const accepted: Accepted[] = [];
  const type = call.forwardOnly ? "Forward" : "ForwardBackward";
  const post = async (index: number) => {
    const seqId = firstSeqId + index;
    const chunk = { modelId: info.modelId, seqId, data: chunks[index] ?? [], ...call };
    accepted[index] = await lossEncoding.submit(chunk, (request) =>
      operations.submit({ type, ...request }),
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

type Metrics = Readonly<Record<string, number>>;

/**
 * Concatenates outputs in chunk order, and reduces metrics that all chunks report as the suffix of their name says
 * (`docs/protocols/tinker.md#metrics`). A metric without a known suffix is kept for a single result and dropped otherwise.
 */
export function combineResults(results: readonly ForwardBackwardResult[]): ForwardBackwardResult {
  const weights = results.map((result) => result.outputs.length);
  const metrics: Record<string, number> = {};
  for (const name of Object.keys(results[0]?.metrics ?? {})) {
    const values = results.map((result) => result.metrics[name]);
    if (!values.every((value) => value !== undefined)) continue;
    Object.assign(metrics, reduceMetric(name, values, weights));
  }
  return { outputs: results.flatMap((result) => result.outputs), metrics };
}

function reduceMetric(
  name: string,
  values: readonly number[],
  weights: readonly number[],
): Metrics {
  const parts = name.split(":");
  switch (parts.length === 2 ? parts[1] : undefined) {
    case "sum":
      return { [name]: values.reduce((sum, value) => sum + value, 0) };
    case "min":
      return { [name]: Math.min(...values) };
    case "max":
      return { [name]: Math.max(...values) };
    case "mean":
      return withMean(values, weights, (mean) => ({ [name]: mean }));
    case "slack":
      return withMean(values, weights, (mean) => ({ [name]: Math.max(...values) - mean }));
    case "unique":
      return Object.fromEntries(
        values.map((value, index) => [index === 0 ? name : `${name}_${index}`, value]),
      );
    default:
      return values.length === 1 && values[0] !== undefined ? { [name]: values[0] } : {};
  }
}

/** The mean over all datums; no metric if there are no datums. */
function withMean(
  values: readonly number[],
  weights: readonly number[],
  use: (mean: number) => Metrics,
): Metrics {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return {};
  const weighted = values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
  return use(weighted / total);
}
