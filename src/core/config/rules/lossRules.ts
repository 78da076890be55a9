/** Which parameters each loss accepts, and their constraints. */

import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { conflict, type Finding } from "../source/finding.ts";
import { preferred, type Remedy, setTo } from "../source/remedy.ts";
import { LOSS_DEFAULTS } from "./lossDefaults.ts";
import { foreignParameters } from "./parameterRules.ts";

const PLACE = "loss_fn_config";

/** Findings about `loss_fn_config` for the configured loss. */
export function lossFindings(config: Config): readonly Finding[] {
  const foreign = foreignParameters({
    place: PLACE,
    owner: `The loss \`${config.loss_fn}\``,
    allowed: Object.keys(LOSS_DEFAULTS[config.loss_fn]),
    given: config.loss_fn_config,
  });
  if (foreign.length > 0) return foreign;
  switch (config.loss_fn) {
    case "ppo":
    case "cispo":
    case "gspo":
      return clipFindings(config.loss_fn, config.loss_fn_config);
    case "dro":
      return [...betaFindings(config.loss_fn_config), ...normalizationFindings(config)];
    case "stable_reinforce":
      return stableFindings(config);
    case "importance_sampling":
      return [];
  }
}

function clipFindings(
  loss: "ppo" | "cispo" | "gspo",
  parameters: Config["loss_fn_config"],
): readonly Finding[] {
  const defaults = LOSS_DEFAULTS[loss];
  const { clip_low_threshold: low, clip_high_threshold: high } = { ...defaults, ...parameters };
  const isAroundOne = loss !== "cispo";
  const isValid = isAroundOne ? low < 1 && 1 < high : low < high;
  if (isValid && low >= 0) return [];
  const rule = isAroundOne ? "0 <= low < 1 < high" : "0 <= low < high";
  const message =
    `The clip thresholds are bounds of the probability ratio, ${rule}, but they are ${low} and ${high}. ` +
    "An epsilon of 0.2 is written as `clip_low_threshold: 0.8` and `clip_high_threshold: 1.2`.";
  const title = `Set to ${defaults.clip_low_threshold} and ${defaults.clip_high_threshold}`;
  const remedy: Remedy = { kind: "set", path: [PLACE], value: { ...defaults }, title };
  return [conflict("TRL204", [PLACE], message, { part: "key", remedies: [preferred(remedy)] })];
}

/** Only Tinker's hosted service computes this loss, from what it recorded while sampling. */
function stableFindings(config: Config): readonly Finding[] {
  const { model_name: model, off_policy_correction: correction } = config;
  if (isLocalModel(model)) {
    const message = `The embedded engine does not compute \`stable_reinforce\`, whose formula is not published. Use \`cispo\` or \`ppo\` with \`${model}\`.`;
    const path = ["loss_fn"];
    const remedies = [preferred(setTo(path, "cispo")), setTo(path, "ppo")];
    return [conflict("TRL204", path, message, { relatedPaths: [["model_name"]], remedies })];
  }
  if (correction !== "tis" && correction !== "icepop") return [];
  const path = ["off_policy_correction"];
  const message = `\`stable_reinforce\` corrects for off-policy tokens itself and starts at the sampler's probabilities, which \`${correction}\` replaces. Set \`none\`.`;
  const remedies = [preferred(setTo(path, "none"))];
  return [conflict("TRL204", path, message, { relatedPaths: [["loss_fn"]], remedies })];
}

/** Normalization scales the advantages, but the penalty of `dro` does not depend on them. */
function normalizationFindings({ loss_normalization: given }: Config): readonly Finding[] {
  if (given === "token_sum") return [];
  const message = `The loss \`dro\` is a sum over tokens: its penalty cannot use \`${given}\`. Keep \`loss_normalization: token_sum\`.`;
  const path = ["loss_normalization"];
  const remedies = [preferred(setTo(path, "token_sum"))];
  return [conflict("TRL204", path, message, { relatedPaths: [["loss_fn"]], remedies })];
}

function betaFindings(parameters: Config["loss_fn_config"]): readonly Finding[] {
  const beta = parameters["beta"] ?? 0;
  if (beta >= 0) return [];
  const message = `\`beta\` is the weight of a penalty and must be at least 0, not ${beta}.`;
  const path = [PLACE, "beta"];
  const remedies = [preferred(setTo(path, 0, "Set to 0 (minimum)"))];
  return [conflict("TRL204", path, message, { remedies })];
}
