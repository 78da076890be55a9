/** Which parameters each loss takes, and what they must satisfy. */

import type { Finding } from "./issues.ts";
import type { Config } from "./schema.ts";

type LossName = Config["loss_fn"];

const LOSS_PARAMETERS: Readonly<Record<LossName, readonly string[]>> = {
  importance_sampling: [],
  ppo: ["clip_low_threshold", "clip_high_threshold"],
  cispo: ["clip_low_threshold", "clip_high_threshold"],
  dro: ["beta"],
};

/** Clip bounds that the service uses where none are set. */
const DEFAULT_CLIP = {
  ppo: { low: 0.8, high: 1.2 },
  cispo: { low: 0, high: 4 },
} as const;

/** Findings about `loss_fn_config` for the loss that is set. */
export function lossFindings(config: Config): readonly Finding[] {
  const foreign = foreignParameters(config);
  if (foreign.length > 0) return foreign;
  switch (config.loss_fn) {
    case "ppo":
    case "cispo":
      return clipFindings(config.loss_fn, config.loss_fn_config);
    case "dro":
      return betaFindings(config.loss_fn_config);
    case "importance_sampling":
      return [];
  }
}

function foreignParameters(config: Config): readonly Finding[] {
  const allowed = LOSS_PARAMETERS[config.loss_fn];
  const advice =
    allowed.length === 0
      ? "It takes none; remove it."
      : `It takes ${allowed.map((name) => `\`${name}\``).join(" and ")}.`;
  return Object.keys(config.loss_fn_config)
    .filter((name) => !allowed.includes(name))
    .map((name) => ({
      severity: "error",
      code: "conflict",
      path: ["loss_fn_config", name],
      message: `The loss \`${config.loss_fn}\` has no parameter \`${name}\`. ${advice}`,
      part: "key",
    }));
}

function clipFindings(loss: "ppo" | "cispo", parameters: Config["loss_fn_config"]): Finding[] {
  const low = parameters["clip_low_threshold"] ?? DEFAULT_CLIP[loss].low;
  const high = parameters["clip_high_threshold"] ?? DEFAULT_CLIP[loss].high;
  const isSound = loss === "ppo" ? low < 1 && 1 < high : low < high;
  if (isSound && low >= 0) return [];
  const rule = loss === "ppo" ? "0 <= low < 1 < high" : "0 <= low < high";
  const message =
    `The clip thresholds are bounds of the probability ratio, ${rule}; here they are ${low} and ${high}. ` +
    "An epsilon of 0.2 is written as `clip_low_threshold: 0.8` and `clip_high_threshold: 1.2`.";
  return [{ severity: "error", code: "conflict", path: ["loss_fn_config"], message, part: "key" }];
}

function betaFindings(parameters: Config["loss_fn_config"]): Finding[] {
  const beta = parameters["beta"] ?? 0;
  if (beta >= 0) return [];
  const message = `\`beta\` weighs a penalty and must be at least 0, got ${beta}.`;
  return [
    {
      severity: "error",
      code: "conflict",
      path: ["loss_fn_config", "beta"],
      message,
      part: "value",
    },
  ];
}
