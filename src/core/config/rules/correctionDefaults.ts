/** The bounds of each off-policy correction, with their default values. */

import type { Config } from "../fields/schema.ts";

export type CorrectionName = Config["off_policy_correction"];

/** `training/update/offPolicyCorrection.ts` names the sources. */
export const CORRECTION_DEFAULTS = {
  none: {},
  tis: { ratio_high: 2 },
  icepop: { ratio_low: 0.5, ratio_high: 5 },
  sequence_mask: { ratio_low: 0.99, ratio_high: 1.01 },
} as const satisfies Readonly<Record<CorrectionName, Readonly<Record<string, number>>>>;

/** Bounds of the ratio of the trainer's to the sampler's probability, without those that the correction does not use. */
export function correctionBounds(
  config: Pick<Config, "off_policy_correction" | "off_policy_correction_config">,
): Readonly<Partial<Record<"ratio_low" | "ratio_high", number>>> {
  return {
    ...CORRECTION_DEFAULTS[config.off_policy_correction],
    ...config.off_policy_correction_config,
  };
}
