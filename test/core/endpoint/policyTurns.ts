/** Turns for answers. */

import type { PolicyTurn } from "../../../src/core/endpoint/endpointModel.ts";
import { type RequestRefusal, refusalOf } from "../../../src/core/endpoint/refusal.ts";
import { parseExactObject } from "../../../src/core/util/exactJson.ts";

/** A turn of two tokens after a prompt of three. */
export function aTurn(changes: Partial<PolicyTurn> = {}): PolicyTurn {
  return {
    reasoning: null,
    reasoningTokens: 0,
    text: "Hello",
    calls: [],
    end: "turn",
    stopText: null,
    prompt: Int32Array.of(1, 2, 3),
    sampled: {
      tokens: [4, 5],
      logprobs: [-0.5, -0.25],
      stopReason: "stop",
      wereMissing: false,
      stopText: null,
    },
    cachedTokens: 2,
    tokenizer: { decode: (ids) => `<${ids[0]}>` },
    ...changes,
  };
}

/** A call with a number that a double would round. */
export const CALL = {
  id: "call_1",
  name: "add",
  args: parseExactObject('{"a":12345678901234567890}') ?? {},
};

/** How reading a request is refused; any other error is thrown. */
export function refusalIn(read: () => unknown): RequestRefusal {
  try {
    read();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
  throw new Error("The request was accepted.");
}
