/** Which bounds an off-policy correction takes, and runs that should have a correction. */

import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding, note } from "../source/finding.ts";
import { preferred, type Remedy, setKeyTo } from "../source/remedy.ts";
import { CORRECTION_DEFAULTS, correctionBounds } from "./correctionDefaults.ts";
import { foreignParameters } from "./parameterRules.ts";

const PLACE = "off_policy_correction_config";
/** How many steps off-policy unbounded importance weights are usually harmless. */
const FEW_STEPS_AHEAD = 2;

/** Findings about `off_policy_correction` and its bounds. */
export function correctionFindings(config: Config): readonly Finding[] {
  const { off_policy_correction: correction } = config;
  const foreign = foreignParameters({
    place: PLACE,
    owner:
      correction === "none" ? "`off_policy_correction: none`" : `The correction \`${correction}\``,
    allowed: Object.keys(CORRECTION_DEFAULTS[correction]),
    given: config.off_policy_correction_config,
  });
  if (foreign.length > 0) return foreign;
  return [...boundFindings(config), ...unboundedFindings(config)];
}

function boundFindings(config: Config): readonly Finding[] {
  const { off_policy_correction: correction } = config;
  const { ratio_low: low = 0, ratio_high: high = 1 } = correctionBounds(config);
  if (correction === "none" || (low >= 0 && low <= 1 && high >= 1)) return [];
  const isOneSided = correction === "tis";
  const rule = isOneSided ? "ratio_high >= 1" : "0 <= ratio_low <= 1 <= ratio_high";
  const given = isOneSided ? `\`ratio_high\` is ${high}` : `they are ${low} and ${high}`;
  const message = `The bounds of \`${correction}\` are bounds of the ratio itself, which is 1 when trainer and sampler agree: ${rule}; here ${given}.`;
  const value = { ...CORRECTION_DEFAULTS[correction] };
  const title = `Set to ${Object.values(value).join(" and ")}`;
  const remedy: Remedy = { kind: "set", path: [PLACE], value, title };
  return [conflict("TRL204", [PLACE], message, { part: "key", remedies: [preferred(remedy)] })];
}

/** Runs that use importance weights of older samples without any bound. */
function unboundedFindings(config: Config): readonly Finding[] {
  const { loss_fn, max_steps_off_policy: stepsAhead, off_policy_correction: correction } = config;
  if (loss_fn !== "importance_sampling") return [];
  if (config.num_passes > 1) {
    const message = `Each rollout is trained ${config.num_passes} times (\`num_passes\`), and \`importance_sampling\` does not bound its ratios: a few tokens may dominate an update. Use \`ppo\` or \`cispo\`, which clip them.`;
    const remedies = [preferred(setKeyTo(["loss_fn"], "ppo"))];
    return [advice("TRL203", ["num_passes"], message, { relatedPaths: [["loss_fn"]], remedies })];
  }
  if (stepsAhead === 0 || correction !== "none") return [];
  const report = stepsAhead > FEW_STEPS_AHEAD ? advice : note;
  const hosted = isLocalModel(config.model_name)
    ? ""
    : " The default of Tinker's cookbook for off-policy data is `stable_reinforce`, in alpha and only at the hosted service.";
  const message = `Rollouts are trained ${stepsAhead} ${stepsAhead === 1 ? "step" : "steps"} off-policy, and \`importance_sampling\` does not bound their ratios: a few tokens may dominate an update. Use \`ppo\` or \`cispo\`, which clip them, or \`off_policy_correction: tis\`.${hosted}`;
  const remedies = [
    preferred(setKeyTo(["loss_fn"], "ppo")),
    setKeyTo(["off_policy_correction"], "tis"),
  ];
  const relatedPaths = [["loss_fn"]];
  return [report("TRL203", ["max_steps_off_policy"], message, { relatedPaths, remedies })];
}
