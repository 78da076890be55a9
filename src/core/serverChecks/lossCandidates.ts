/** Losses that a server may compute instead of the requested one. */

import { LOSS_DEFAULTS } from "../config/rules/lossDefaults.ts";
import { type DatumLoss, type DocumentedLoss, ofEach, policyLoss } from "./policyLosses.ts";

export interface LossCandidate {
  readonly loss: DocumentedLoss | "cross_entropy";
  /** Display name. For the requested loss, its name. */
  readonly label: string;
  readonly values: DatumLoss;
}

type Parameters = Readonly<Record<string, number>>;

/** Parameters that some servers have used without being asked: `docs/protocols/tinker.md#losses`. */
const KNOWN_DEFAULTS: Readonly<Record<DocumentedLoss, readonly Parameters[]>> = {
  importance_sampling: [],
  ppo: [LOSS_DEFAULTS.ppo],
  cispo: [LOSS_DEFAULTS.cispo, LOSS_DEFAULTS.ppo],
  dro: [0.01, 0.05, 0.1, 1].map((beta) => ({ beta })),
  gspo: [LOSS_DEFAULTS.gspo, LOSS_DEFAULTS.ppo],
};

// Sound: the table's type lists its keys.
export const LOSS_NAMES = Object.keys(KNOWN_DEFAULTS) as readonly DocumentedLoss[];

/** The requested loss is first. */
export function lossCandidates(
  asked: DocumentedLoss,
  parameters: Parameters,
): readonly [LossCandidate, ...LossCandidate[]] {
  const own = policyLoss(asked, parameters);
  const candidate = (loss: LossCandidate["loss"], values: DatumLoss, label: string = loss) => ({
    loss,
    label,
    values,
  });
  return [
    candidate(asked, own),
    // Without the quadratic term of `dro` for untrained tokens, which does not affect a run (see `trainStep`).
    candidate(asked, (tokens) =>
      own(tokens).map((loss, i) => (tokens[i]?.advantage === 0 ? 0 : loss)),
    ),
    ...KNOWN_DEFAULTS[asked].map((known) =>
      candidate(asked, policyLoss(asked, known), `${asked} with ${describe(known)}`),
    ),
    ...LOSS_NAMES.filter((loss) => loss !== asked).map((loss) =>
      candidate(loss, policyLoss(loss, LOSS_DEFAULTS[loss])),
    ),
    candidate(
      "cross_entropy",
      ofEach(({ p }) => -p),
    ),
    candidate(
      "cross_entropy",
      ofEach(({ p, advantage }) => -p * advantage),
    ),
  ];
}

function describe(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([key, value]) => `${key} ${value}`)
    .join(" and ");
}
