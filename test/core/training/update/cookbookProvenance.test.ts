/** Compares a request for `stable_reinforce` with the official client's: `cookbookProvenance.py` made it with tinker and tinker-cookbook. */

import { readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { toWireData } from "../../../../src/core/tinker/wire/datum.ts";
import { encodeForwardBackwardRequest } from "../../../../src/core/tinker/wire/forwardBackwardProto.ts";
import { ForwardBackwardRequestSchema } from "../../../../src/core/tinker/wire/tinker_pb.ts";
import { toWireDatum } from "../../../../src/core/training/update/datums.ts";
import { fromHex } from "../../tinker/wire/hex.ts";
import { aDatum } from "../builders.ts";

interface Turn {
  readonly prompt: readonly number[];
  readonly sampled: readonly number[];
  readonly logprobs: readonly number[];
  readonly sequence: string;
}

const vectors = JSON.parse(
  readFileSync(new URL("cookbookProvenance.json", import.meta.url), "utf8"),
) as { readonly turns: readonly Turn[]; readonly advantage: number; readonly request: string };

/** The streams that the turns' prompts make: one that only grows, until a prompt does not continue it. */
function streamsOf(turns: readonly Turn[]): readonly Ledger[] {
  const streams: Ledger[] = [];
  for (const { prompt, sampled, logprobs, sequence } of turns) {
    const last = streams.at(-1);
    if (last?.tokens.every((token, i) => prompt[i] === token) === true) {
      // The first new token closes the turn, the others lead to the next.
      last.addContext(prompt.slice(last.length).slice(0, 1), prompt.slice(last.length).slice(1));
    } else streams.push(new Ledger(prompt));
    streams.at(-1)?.addTurn(sampled, logprobs, sequence);
  }
  return streams;
}

it("names the sequence of every token as the official client does", () => {
  const { turns, advantage, request } = vectors;
  const loss = "stable_reinforce";
  const data = streamsOf(turns).map((ledger) => toWireDatum(aDatum({ ledger, advantage }), loss));
  const bytes = encodeForwardBackwardRequest({
    modelId: "m:train:0",
    seqId: 3,
    data: toWireData(data, loss, { forwardOnly: false }),
    lossFn: loss,
    lossConfig: {},
    forwardOnly: false,
  });
  const read = (message: Uint8Array) => fromBinary(ForwardBackwardRequestSchema, message);
  expect(read(bytes)).toEqual(read(fromHex(request)));
  // Maps have no order, so only the length of the bytes is the same.
  expect(bytes).toHaveLength(fromHex(request).length);
});
