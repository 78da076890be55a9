/** Training data as the JSON that servers before 0.25 take: `docs/protocols/tinker.md#forward_backward`. */

import type { ForwardBackwardCall, WireDatum } from "./forwardBackwardProto.ts";
import { inputChunks } from "./modelInput.ts";

/** JSON form of training data, for older servers. */
export function forwardBackwardBody(call: ForwardBackwardCall) {
  const input = {
    data: call.data.map(jsonDatum),
    loss_fn: call.lossFn,
    loss_fn_config: call.lossConfig,
  };
  return {
    [call.forwardOnly ? "forward_input" : "forward_backward_input"]: input,
    model_id: call.modelId,
    seq_id: call.seqId,
  };
}

function jsonDatum({ tokens, images, lossInputs }: WireDatum) {
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
