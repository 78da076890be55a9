/** The encoding that a server accepts for training data: binary, or the JSON of older servers. */

import { isAppError } from "../../errors.ts";
import {
  encodeForwardBackwardRequest,
  type ForwardBackwardCall,
  type WireDatum,
} from "./forwardBackwardProto.ts";
import { inputChunks } from "./modelInput.ts";

interface LossSubmit {
  readonly path: string;
  readonly body: object | Uint8Array;
}

/** Tries the binary form first; falls back to JSON for good if the server rejects the very first request. */
export class LossEncoding {
  readonly #onJson: () => void;
  #format: "unknown" | "proto" | "json" = "unknown";

  /** `onJson` is called when it falls back. */
  constructor(onJson: () => void = () => undefined) {
    this.#onJson = onJson;
  }

  /** Encodes `call` and passes it to `post`. If the binary form is rejected (415, 422), the JSON form reuses its number. */
  async submit<Result>(
    call: ForwardBackwardCall,
    post: (request: LossSubmit) => Promise<Result>,
  ): Promise<Result> {
    if (this.#format === "json") return await post(jsonSubmit(call));
    try {
      const result = await post(binarySubmit(call));
      this.#format = "proto";
      return result;
    } catch (error) {
      if (this.#format !== "unknown" || !isUnknownEncoding(error)) throw error;
      return await this.#submitJson(call, post, error);
    }
  }

  async #submitJson<Result>(
    call: ForwardBackwardCall,
    post: (request: LossSubmit) => Promise<Result>,
    binaryRefusal: unknown,
  ): Promise<Result> {
    try {
      const result = await post(jsonSubmit(call));
      this.#format = "json";
      this.#onJson();
      return result;
    } catch (error) {
      // The JSON form was rejected too, so the encoding was not the problem.
      throw isRefusal(error) ? binaryRefusal : error;
    }
  }
}

function binarySubmit(call: ForwardBackwardCall): LossSubmit {
  return { path: "forward_backward", body: encodeForwardBackwardRequest(call) };
}

/** Servers before 0.25 have a separate path for forward-only requests. */
function jsonSubmit(call: ForwardBackwardCall): LossSubmit {
  return {
    path: call.forwardOnly ? "forward" : "forward_backward",
    body: forwardBackwardBody(call),
  };
}

function isRefusal(error: unknown): boolean {
  return isAppError(error, "tinker-bad-request", "tinker-not-found");
}

function isUnknownEncoding(error: unknown): boolean {
  if (!isAppError(error, "tinker-bad-request")) return false;
  const { status } = error.data;
  return status === 415 || status === 422;
}

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
