/** Two small datums for which all losses have different values, whatever the model's log-probabilities. */

import { type Datum, policyInputs } from "../tinker/wire/datum.ts";
import type { LossToken } from "./policyLosses.ts";

export interface ProbePosition extends Pick<LossToken, "q" | "advantage"> {
  readonly input: number;
  readonly target: number;
}
/** Positions of each datum. The datums differ in length, and in the share of trained positions. */
export type ProbeData = readonly (readonly ProbePosition[])[];

interface Known {
  /** The server's log-probabilities for the positions of each datum. */
  readonly logprobs: readonly ArrayLike<number>[];
  /** Bounds of the ratio; absent for a loss without bounds. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** Text that is long enough with every tokenizer. */
export const PROBE_TEXT =
  "A server was asked what 17 + 25 is, and why the sky over Lisbon looks blue at noon in June.";

/** So small that a server that wrongly trains on forward-only data is hardly affected. */
const SCALE = 1 / 64;

interface Role {
  readonly advantage: number;
  /** Log-probability of sampling if the model's is unknown: far below it, far above it, or in between. */
  readonly initial: number;
  /** If the model's log-probability is known: the ratio to use. */
  readonly ratio: (low: number, high: number) => number;
}

/** Clipped above, clipped below, not clipped, and not trained. */
const ROLES: readonly Role[] = [
  { advantage: SCALE, initial: -9, ratio: (_low, high) => 1.6 * high },
  { advantage: -0.75 * SCALE, initial: -0.02, ratio: (low) => 0.6 * (low || 0.6) },
  { advantage: 0.5 * SCALE, initial: -3, ratio: () => 1.05 },
  { advantage: 0, initial: 0, ratio: () => 1 },
];

/** Roles of the two datums, and the weights of their advantages, so that means over datums differ from means over tokens. */
const DATUMS = [
  { first: 0, roles: [...ROLES, ...ROLES], weight: 1 },
  { first: 9, roles: [...ROLES, ...ROLES.slice(0, 1)], weight: 3 },
];

/**
 * `known` contains log-probabilities that an earlier answer gave for the same tokens. With them, every ratio is on the intended
 * side of its bound.
 */
export function probeData(tokens: readonly number[], known?: Known): ProbeData {
  const { logprobs = [], low = 0.8, high = 1.2 } = known ?? {};
  const idAt = (i: number): number => tokens[i % tokens.length] ?? 0;
  return DATUMS.map(({ first, roles, weight }, datum) =>
    roles.map(({ advantage, initial, ratio }, i) => {
      const p = logprobs[datum]?.[i];
      const calibrated = (p ?? 0) - Math.log(ratio(low, high));
      return {
        input: idAt(first + i),
        target: idAt(first + i + 1),
        advantage: weight * advantage,
        q: p === undefined ? initial : Math.fround(Math.min(calibrated, -1e-3)),
      };
    }),
  );
}

/** Datums in the request format for `lossFn`. */
export function toDatums(data: ProbeData, lossFn: string): readonly Datum[] {
  return data.map((positions) => ({
    tokens: positions.map(({ input }) => input),
    lossInputs: policyInputs(lossFn, {
      targets: positions.map(({ target }) => target),
      logprobs: positions.map(({ q }) => q),
      advantages: positions.map(({ advantage }) => advantage),
      mask: positions.map(({ advantage }) => (advantage === 0 ? 0 : 1)),
    }),
  }));
}
