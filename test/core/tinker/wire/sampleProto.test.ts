import { expect, it } from "vitest";
import {
  decodeSampleResponse,
  encodeSampleResponse,
  type SampleResult,
  type ServedSampleResult,
} from "../../../../src/core/tinker/wire/sampleProto.ts";
import { fromHex, toHex } from "./hex.ts";

const floats = (...values: number[]) => Float32Array.of(...values);
const ints = (...values: number[]) => Int32Array.of(...values);

const sampleHex = "0a1412080b0000000c0000001a08000000bf000080be12080000c07f000080bf2003";

const sampleResult: SampleResult = {
  sequences: [
    {
      stopReason: "stop",
      tokens: ints(11, 12),
      logprobs: floats(-0.5, -0.25),
    },
  ],
  promptLogprobs: floats(Number.NaN, -1),
  promptCacheHitTokens: 3,
};

const topkHex =
  "0a28080112040b0000001a04000000bf22180a080b000000070000001208000000bf000080bf180220011a280a100000000000000000090000000000" +
  "00001210804fc3c7804fc3c7000080be804fc3c7180220022a100a080000c0bf00000000180122020102";

it("encodes and decodes a sample result, with NaN for an undefined prompt log-prob", () => {
  expect(toHex(encodeSampleResponse(sampleResult))).toBe(sampleHex);
  expect(decodeSampleResponse(fromHex(sampleHex))).toEqual(sampleResult);
});

it("encodes top-k tables and scored targets", () => {
  const result: ServedSampleResult = {
    sequences: [
      {
        stopReason: "length",
        tokens: ints(11),
        logprobs: floats(-0.5),
        topkLogprobs: [
          [
            { token: 11, logprob: -0.5 },
            { token: 7, logprob: -1 },
          ],
        ],
      },
    ],
    promptLogprobs: null,
    topkPromptLogprobs: [
      null,
      [
        { token: 9, logprob: -0.25 },
        { token: 0, logprob: -99999 },
      ],
    ],
    targetPromptLogprobs: { values: floats(-1.5, 0), shape: [1, 2] },
    promptCacheHitTokens: 0,
  };
  expect(toHex(encodeSampleResponse(result))).toBe(topkHex);
});

it("reads empty log-probs as absent", () => {
  const bytes = fromHex("0a0812040b0000001a00");
  expect(decodeSampleResponse(bytes).sequences[0]?.logprobs).toBeNull();
});

it("rejects an unknown stop reason", () => {
  expect(() => decodeSampleResponse(fromHex("0a0808021204" + "0b000000"))).toThrow(
    /stop reason 2 is unknown/,
  );
});
