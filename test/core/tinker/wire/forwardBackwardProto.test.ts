import fc from "fast-check";
import { expect, it } from "vitest";
import {
  decodeForwardBackwardOutput,
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
  encodeForwardBackwardRequest,
  type ForwardBackwardCall,
  type ForwardBackwardResult,
} from "../../../../src/core/tinker/wire/forwardBackwardProto.ts";
import { vector } from "../../../../src/core/tinker/wire/tensors.ts";
import { fromHex, toHex } from "./hex.ts";

const floats = (...values: number[]) => Float32Array.of(...values);
const ints = (...values: number[]) => Int32Array.of(...values);

const ppoHex =
  "0a096d3a747261696e3a3010031a740a0c0a0a0a080500000006000000121d0a0a616476616e7461676573120f0a08000000000000803f1801220102" +
  "121b0a086c6f6770726f6273120f0a0800000000000000bf180122010212280a0d7461726765745f746f6b656e7312170a100600000000000000070000" +
  "00000000001802220102220370706f2a1d0a12636c69705f6c6f775f7468726573686f6c64119a9999999999e93f3a1f0a12636c69705f6c6f775f7468" +
  "726573686f6c641209099a9999999999e93f";

const ppoCall: ForwardBackwardCall = {
  modelId: "m:train:0",
  seqId: 3,
  data: [
    {
      tokens: ints(5, 6),
      lossInputs: {
        advantages: vector(floats(0, 1)),
        logprobs: vector(floats(0, -0.5)),
        target_tokens: vector(ints(6, 7)),
      },
    },
  ],
  lossFn: "ppo",
  lossConfig: { clip_low_threshold: 0.8 },
  forwardOnly: false,
};

const customWithSpansHex =
  "0a016d10011a710a0c0a0a0a08050000000600000012280a0d7461726765745f746f6b656e7312170a10060000000000000007000000000000001802" +
  "220102121a0a0777656967687473120f0a08000000000000803f18012201021a070a050a0171180222090a070a017110011801220712050a01711801" +
  "2206637573746f6d30013a0f0a076c6f73735f6964120412024c31";

const outputHex =
  "0a0b41727261795265636f726412470a0b41727261795265636f726412360a086c6f6770726f6273122a0a0c000000bf000080be000080bf1218000000" +
  "000000000008000000000000000c00000000000000180118021a130a086c6f73733a73756d11000000000000fc3f";

const output: ForwardBackwardResult = {
  outputs: [{ logprobs: floats(-0.5, -0.25) }, { logprobs: floats(-1) }],
  metrics: { "loss:sum": 1.75 },
};

it("encodes a forward_backward request to the golden bytes", () => {
  expect(toHex(encodeForwardBackwardRequest(ppoCall))).toBe(ppoHex);
});

it("decodes a forward_backward request", () => {
  expect(decodeForwardBackwardRequest(fromHex(ppoHex))).toEqual(ppoCall);
});

it("reads the loss config of older clients, which write only the old map", () => {
  const olderForm = fromHex(ppoHex).subarray(0, -33);
  expect(decodeForwardBackwardRequest(olderForm)).toEqual(ppoCall);
});

it("encodes where tokens come from to the golden bytes", () => {
  const prompt = { kind: "prompt", sequenceId: "q" } as const;
  const call: ForwardBackwardCall = {
    modelId: "m",
    seqId: 1,
    data: [
      {
        tokens: ints(5, 6),
        lossInputs: { target_tokens: vector(ints(6, 7)), weights: vector(floats(0, 1)) },
        provenance: {
          input: [{ ...prompt, offset: 0, length: 2 }],
          targets: [
            { ...prompt, offset: 1, length: 1 },
            { kind: "sampled", sequenceId: "q", offset: 0, length: 1 },
          ],
        },
      },
    ],
    lossFn: "custom",
    lossConfig: { loss_id: "L1" },
    forwardOnly: true,
  };
  expect(toHex(encodeForwardBackwardRequest(call))).toBe(customWithSpansHex);
});

it("reads a text in the loss config and skips provenance spans", () => {
  expect(decodeForwardBackwardRequest(fromHex(customWithSpansHex))).toEqual({
    modelId: "m",
    seqId: 1,
    data: [
      {
        tokens: ints(5, 6),
        lossInputs: { target_tokens: vector(ints(6, 7)), weights: vector(floats(0, 1)) },
      },
    ],
    lossFn: "custom",
    lossConfig: { loss_id: "L1" },
    forwardOnly: true,
  });
});

it("writes a text of the loss config only into the new map", () => {
  const call = { ...ppoCall, lossConfig: { loss_id: "L1" } };
  expect(toHex(encodeForwardBackwardRequest(call))).toMatch(
    /70706f3a0f0a076c6f73735f6964120412024c31$/,
  );
});

it("encodes and decodes a forward_backward result", () => {
  expect(toHex(encodeForwardBackwardOutput(output))).toBe(outputHex);
  expect(decodeForwardBackwardOutput(fromHex(outputHex))).toEqual(output);
});

it("keeps per-token losses when a server reports them", () => {
  const outputs = [
    { logprobs: floats(-0.5, -0.25), losses: floats(1, 2) },
    { logprobs: floats(-1), losses: floats(3) },
  ];
  const bytes = encodeForwardBackwardOutput({ outputs, metrics: {} });
  expect(decodeForwardBackwardOutput(bytes).outputs).toEqual(outputs);
});

it("rejects bytes that are not a message", () => {
  expect(() => decodeForwardBackwardOutput(fromHex("0aff"))).toThrow(/are not a valid/);
});

it("rejects a result without log-probs", () => {
  // One record that counts two datums and has no fields.
  expect(() => decodeForwardBackwardOutput(fromHex("12021802"))).toThrow(/has no logprobs/);
});

it("returns every batch of log-probs unchanged", () => {
  const row = fc.array(fc.float({ noNaN: true }), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
      const outputs = rows.map((values) => ({ logprobs: Float32Array.from(values) }));
      const bytes = encodeForwardBackwardOutput({ outputs, metrics: {} });
      expect(decodeForwardBackwardOutput(bytes).outputs).toEqual(outputs);
    }),
  );
});
