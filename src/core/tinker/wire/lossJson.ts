/** Training data as the JSON that servers before 0.25 take: `docs/protocols/tinker.md#forward_backward`. */

import type { ForwardBackwardCall, LossConfig, WireDatum } from "./forwardBackwardProto.ts";
import { type InputChunk, inputChunks } from "./modelInput.ts";

interface JsonDatum {
  readonly model_input: {
    readonly chunks: readonly InputChunk[];
  };
  readonly loss_fn_inputs: Readonly<
    Record<
      string,
      {
        readonly data: readonly number[];
        readonly dtype: "float32" | "int64";
        readonly shape: readonly number[];
      }
    >
  >;
}

interface LossInput {
  readonly data: readonly JsonDatum[];
  readonly loss_fn: string;
  readonly loss_fn_config: LossConfig;
}

/** One of the two inputs, by what is asked for. */
export interface ForwardBackwardBody {
  readonly forward_backward_input?: LossInput;
  readonly forward_input?: LossInput;
  readonly model_id: string;
  readonly seq_id: number;
}

/** JSON form of training data, for older servers. */
export function forwardBackwardBody(call: ForwardBackwardCall): ForwardBackwardBody {
  const input: LossInput = {
    data: call.data.map(jsonDatum),
    loss_fn: call.lossFn,
    loss_fn_config: call.lossConfig,
  };
  return {
    ...(call.forwardOnly ? { forward_input: input } : { forward_backward_input: input }),
    model_id: call.modelId,
    seq_id: call.seqId,
  };
}

function jsonDatum({ tokens, images, lossInputs }: WireDatum): JsonDatum {
  return {
    model_input: { chunks: inputChunks(tokens, images) },
    loss_fn_inputs: Object.fromEntries(
      Object.entries(lossInputs).map(([name, { values, shape }]) => [
        name,
        { data: [...values], dtype: values instanceof Float32Array ? "float32" : "int64", shape },
      ]),
    ),
  };
}
