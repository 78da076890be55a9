/** What a server may compute in place of the loss that it was asked for. */

import { LOSS_DEFAULTS, type LossName } from "../config/lossDefaults.ts";
import { policyLoss, type TokenLoss } from "./policyLosses.ts";

export interface LossCandidate {
  readonly loss: LossName | "cross_entropy";
  /** For people. */
  readonly label: string;
  readonly isAsked: boolean;
  readonly value: TokenLoss;
}

type Parameters = Readonly<Record<string, number>>;

/** Parameters that some servers have been seen to use unasked: `docs/protocols/tinker.md#losses`. */
const KNOWN_DEFAULTS: Readonly<Record<LossName, readonly Parameters[]>> = {
  importance_sampling: [],
  ppo: [LOSS_DEFAULTS.ppo],
  cispo: [LOSS_DEFAULTS.cispo, LOSS_DEFAULTS.ppo],
  dro: [0.01, 0.05, 0.1, 1].map((beta) => ({ beta })),
};

/** The loss that was asked for comes first. */
export function lossCandidates(asked: LossName, parameters: Parameters): readonly LossCandidate[] {
  const own = policyLoss(asked, parameters);
  const others = lossNames().filter((loss) => loss !== asked);
  return [
    { loss: asked, label: asked, isAsked: true, value: own },
    // Its quadratic term is left out where nothing is trained, which costs a run nothing (see `trainStep`).
    ...(asked === "dro" ? [{ loss: asked, label: asked, isAsked: true, value: masked(own) }] : []),
    ...KNOWN_DEFAULTS[asked]
      .filter((habit) => !isSame(habit, parameters))
      .map((habit) => ({
        loss: asked,
        label: `${asked} with ${describe(habit)}`,
        isAsked: false,
        value: policyLoss(asked, habit),
      })),
    ...others.map((loss) => ({
      ...{ loss, label: loss, isAsked: false },
      value: policyLoss(loss, LOSS_DEFAULTS[loss]),
    })),
    ...[1, null].map((weight) => ({
      ...{ loss: "cross_entropy" as const, label: "cross_entropy", isAsked: false },
      value: (({ p, advantage }) => -p * (weight ?? advantage)) satisfies TokenLoss,
    })),
  ];
}

export function lossNames(): readonly LossName[] {
  // Sound: the table's type lists its keys.
  return Object.keys(LOSS_DEFAULTS) as LossName[];
}

function masked(loss: TokenLoss): TokenLoss {
  return (token) => (token.advantage === 0 ? 0 : loss(token));
}

function isSame(one: Parameters, other: Parameters): boolean {
  return Object.entries(one).every(([key, value]) => other[key] === value);
}

function describe(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([key, value]) => `${key} ${value}`)
    .join(" and ");
}
