/** The token table showed a log-probability beside each position of an image: that of the target 0, which stands for no token. */

import { expect, it } from "vitest";
import { Ledger } from "../../src/core/rollout/ledger.ts";
import { toTokenRecord } from "../../src/core/training/update/tokenRecords.ts";
import { aDatum } from "../core/training/builders.ts";

it("the stored tokens have no log-probability of an image", () => {
  const ledger = new Ledger([1, -1, -1, 2]);
  ledger.addTurn([5], [-0.5]);
  const scored = Float32Array.of(-9, -9, -4, -0.25);
  const { trainerLogprobs } = toTokenRecord(aDatum({ ledger }), scored);
  const unknown = Number.NaN;
  expect(Array.from(trainerLogprobs)).toEqual([unknown, unknown, unknown, -4, -0.25]);
});
