/**
 * A step of long rollouts took gigabytes: lists of numbers have 8 bytes an entry and spare room, a datum copied those of its ledger,
 * and a request copied the datum.
 */

import { expect, it } from "vitest";
import { Ledger } from "../../src/core/rollout/ledger.ts";
import { toWireData } from "../../src/core/tinker/wire/datum.ts";
import { decodeGroup, encodeRollout } from "../../src/core/training/generation/groupFile.ts";
import { RolloutPlayer } from "../../src/core/training/generation/rolloutPlayer.ts";
import { toWireDatum } from "../../src/core/training/update/datums.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aDatum, aGroup, aTask } from "../core/training/builders.ts";
import { aContext } from "../core/training/fakeContext.ts";

const TURNS = 40;

/** 10,000 tokens in as many turns as make it grow often. */
function longLedger(): Ledger {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => i);
  const ledger = new Ledger(ids(400));
  for (let turn = 0; turn < TURNS; turn += 1) {
    ledger.addTurn(ids(200), new Array<number>(200).fill(-0.1));
    ledger.addContext([1], ids(39));
  }
  return ledger;
}

/** Of what the ledger holds; the rest is made when it is asked for. */
function bytesPerToken(ledger: Ledger): number {
  const buffers = (): readonly ArrayBufferLike[] =>
    [ledger.tokens, ledger.logprobs, ledger.mask, ledger.sources, ledger.turns].map(
      ({ buffer }) => buffer,
    );
  const again = new Set(buffers());
  const held = buffers()
    .filter((buffer) => again.has(buffer))
    .map(({ byteLength }) => byteLength);
  return held.reduce((sum, bytes) => sum + bytes, 0) / ledger.length;
}

it("holds a rollout that is played, and one that was stored, in a few bytes a token", () => {
  const ledger = longLedger();
  expect(ledger.length).toBe(10_000);
  expect(bytesPerToken(ledger)).toBeLessThan(9);
  const [rollout] = aGroup([1]);
  if (rollout === undefined) throw new Error("the group has a rollout");
  const [read] = decodeGroup(encodeRollout({ ...rollout, streams: [ledger] })) ?? [];
  const [restored] = read?.streams ?? [];
  if (restored === undefined) throw new Error("the group cannot be read");
  expect([...restored.logprobs]).toEqual([...ledger.logprobs]);
  expect(bytesPerToken(restored)).toBeLessThan(9);
});

it("sends what the ledger holds without a copy", () => {
  const ledger = longLedger();
  const made = aDatum({ ledger });
  const datum = { ...made, advantages: made.advantages };
  const [sent] = toWireData([toWireDatum(datum, "ppo")], "ppo", { forwardOnly: false });
  expect(sent?.tokens.buffer).toBe(ledger.tokens.buffer);
  expect(sent?.lossInputs["target_tokens"]?.values.buffer).toBe(ledger.tokens.buffer);
  expect(sent?.lossInputs["logprobs"]?.values.buffer).toBe(ledger.logprobs.buffer);
  expect(sent?.lossInputs["advantages"]?.values).toBe(datum.advantages);
});

it("writes one rollout at a time when many end together", async () => {
  const onCall = () => result("right", { reward: 1, finished: true });
  const context = aContext({ remote: scriptedEnvironment([{ onCall }]) });
  const player = new RolloutPlayer(context, { step: 0, isAwaited: true });
  let writing = 0;
  let most = 0;
  const groups = player.play(
    [0, 1, 2].map((group) => [0, 1].map((rollout) => aTask({ group, rollout }))),
    {
      context,
      sampler: scriptedSampler([ended(call("answer"))]),
      seedOf: () => 7,
      onFinished: async () => {
        writing += 1;
        most = Math.max(most, writing);
        await context.clock.sleep(10);
        writing -= 1;
      },
      onUsed: () => undefined,
    },
  );
  const ends = await context.clock.run(Promise.all(groups));
  expect(ends.flat()).toHaveLength(6);
  expect(most).toBe(1);
});
