/** Two tiny datums in which the losses come to different numbers, whatever the model makes of their tokens. */

import type { Datum } from "../tinker/datum.ts";
import type { LossToken } from "./policyLosses.ts";

export interface ProbePosition extends Pick<LossToken, "q" | "advantage"> {
  readonly input: number;
  readonly target: number;
}
/** Positions of each datum; the datums differ in length, and in the share of positions that are trained. */
export type ProbeData = readonly (readonly ProbePosition[])[];

/** What the server answered for the positions of each datum. */
export type ProbeLogprobs = readonly ArrayLike<number>[];

/** Input positions of the two datums, and how much their advantages are: means over datums are then unlike those over tokens. */
const DATUMS = [
  { length: 8, weight: 1 },
  { length: 5, weight: 3 },
] as const;
/** Text that every tokenizer cuts into more pieces than are needed. */
export const PROBE_TEXT =
  "A server was asked what 17 + 25 is, and why the sky over Lisbon looks blue at noon in June.";
const TOKENS = DATUMS.reduce((sum, { length }) => sum + length + 1, 0);

/** So small that a server that trains on forward-only data all the same is hardly moved by them. */
const SCALE = 1 / 64;

interface Role {
  readonly advantage: number;
  /** Without knowledge of p: far below any, far above any, in between. */
  readonly initial: number;
  /** With it: where the ratio is to lie. */
  readonly ratio: (clip: ClipRange) => number;
}
interface ClipRange {
  readonly low: number;
  readonly high: number;
}

/** Clipped above, clipped below, not clipped, and not trained. */
const ROLES: readonly Role[] = [
  { advantage: SCALE, initial: -9, ratio: ({ high }) => 1.6 * high },
  { advantage: -0.75 * SCALE, initial: -0.02, ratio: ({ low }) => 0.6 * (low || 0.6) },
  { advantage: 0.5 * SCALE, initial: -3, ratio: () => 1.05 },
  { advantage: 0, initial: 0, ratio: () => 1 },
];
const DEFAULT_CLIP: ClipRange = { low: 0.8, high: 1.2 };

/**
 * `known` are the log-probabilities that an earlier answer gave for the same tokens: with them every ratio lies on the side of
 * its bound that it is meant for.
 */
export function probeData(
  tokens: readonly number[],
  known?: { readonly logprobs: ProbeLogprobs; readonly clip?: ClipRange | undefined },
): ProbeData {
  const ids = Array.from({ length: TOKENS }, (_, i) => tokens[i % tokens.length] ?? 0);
  let start = 0;
  return DATUMS.map(({ length, weight }, datum) => {
    const own = ids.slice(start, start + length + 1);
    start += length + 1;
    return Array.from({ length }, (_, i) => {
      const role = ROLES[i % ROLES.length] ?? { advantage: 0, initial: 0, ratio: () => 1 };
      const p = known?.logprobs[datum]?.[i];
      const ratio = role.ratio(known?.clip ?? DEFAULT_CLIP);
      return {
        input: own[i] ?? 0,
        target: own[i + 1] ?? 0,
        advantage: weight * role.advantage,
        q: p === undefined ? role.initial : Math.fround(Math.min(p - Math.log(ratio), -1e-3)),
      };
    });
  });
}

/** As it is sent. */
export function toDatums(data: ProbeData): readonly Datum[] {
  return data.map((positions) => ({
    tokens: positions.map(({ input }) => input),
    lossInputs: {
      target_tokens: positions.map(({ target }) => target),
      logprobs: positions.map(({ q }) => q),
      advantages: positions.map(({ advantage }) => advantage),
    },
  }));
}
