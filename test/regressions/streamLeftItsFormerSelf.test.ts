/**
 * A stream that grew was copied into a longer array at each turn, so that arrays of several times its size were made for it and left to the
 * collection of garbage.
 */

import { afterEach, expect, it, vi } from "vitest";
import { Ledger } from "../../src/core/rollout/ledger.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Counts the bytes of all arrays that are made meanwhile. */
function bytesMade(work: () => void): number {
  let bytes = 0;
  const counted = <Arrays extends typeof Int32Array | typeof Float32Array>(arrays: Arrays) =>
    new Proxy(arrays, {
      construct: (target, args, newTarget) => {
        const made: Int32Array | Float32Array = Reflect.construct(target, args, newTarget);
        if (!(args[0] instanceof ArrayBuffer)) bytes += made.byteLength;
        return made;
      },
    });
  vi.stubGlobal("Int32Array", counted(Int32Array));
  vi.stubGlobal("Float32Array", counted(Float32Array));
  work();
  vi.unstubAllGlobals();
  return bytes;
}

it("grows by what is added, and copies nothing", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => i);
  const ledger = new Ledger([]);
  const made = bytesMade(() => {
    for (let turn = 0; turn < 10; turn++) {
      ledger.addTurn(ids(1_000), new Array<number>(1_000).fill(-0.5));
      ledger.addContext([1], ids(20));
    }
  });
  expect(made / ledger.length).toBeLessThan(9);
  expect([...ledger.slice(999, 1_023)]).toEqual([999, 1, ...ids(20), 0, 1]);
  expect([...ledger.slice(0, 0), ...ledger.slice(ledger.length)]).toEqual([]);
  expect([...ledger.slice()]).toEqual([...ledger.tokens]);
  expect([...ledger.slice(999, 1_023)]).toEqual([...ledger.tokens.subarray(999, 1_023)]);
  expect([...ledger.logprobs.subarray(999, 1_022)]).toEqual([
    -0.5,
    ...new Array<number>(21).fill(0),
    -0.5,
  ]);
});
