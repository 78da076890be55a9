/** The positions of an image were counted as text beside its bytes, so batches were cut at other places than the official client cuts them. */

import { expect, it } from "vitest";
import { chunkData, toWireData } from "../../src/core/tinker/wire/datum.ts";
import { aPng } from "../core/images/someImages.ts";

it("a datum counts its image by the bytes of the file alone", () => {
  const image = aPng(224, 224, "x".repeat(76));
  expect(image.bytes.length).toBe(100);
  const tokens = [1, ...Array<number>(64).fill(-1), 2];
  const zeros = tokens.map(() => 0);
  const lossInputs = { target_tokens: zeros, logprobs: zeros, advantages: tokens.map(() => 1) };
  const data = toWireData(
    [0, 1].map(() => ({ tokens, images: [image], lossInputs })),
    "ppo",
    {
      forwardOnly: false,
    },
  );
  const size = 2 * 4 + 100 + 66 * (8 + 4 + 4);
  const requests = (maxBytes: number) => chunkData(data, { maxDatums: 9, maxBytes }).length;
  expect([requests(2 * size), requests(2 * size - 1)]).toEqual([1, 2]);
});
