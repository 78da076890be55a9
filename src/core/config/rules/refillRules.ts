/** Advice about `refill` beside settings that undo it, or that count on a number of steps. */

import { zeroVariancePolicy } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, type Finding } from "../source/finding.ts";
import { preferred, setKeyTo, setTo } from "../source/remedy.ts";
import { learnsWithoutAdvantage } from "./lossDefaults.ts";

export function refillFindings(config: Config): readonly Finding[] {
  if (!config.refill) return [];
  return [...keptGroupFindings(config), ...scheduleFindings(config)];
}

/** A group of equal rewards that is trained on is not replaced. */
function keptGroupFindings(config: Config): readonly Finding[] {
  const isTrained = config.advantage_calculation === "direct" || learnsWithoutAdvantage(config);
  if (zeroVariancePolicy(config) === "drop" || !isTrained) return [];
  const why =
    config.zero_variance === null
      ? "`advantage_calculation: direct` trains on groups of equal rewards"
      : "`zero_variance: keep` trains on groups of equal rewards";
  const message = `${why}, so \`refill\` does not replace them. To replace them, set \`zero_variance\` to \`drop\`.`;
  const remedies = [preferred(setKeyTo(["zero_variance"], "drop"))];
  return [advice("TRL218", ["refill"], message, { relatedPaths: [["zero_variance"]], remedies })];
}

function scheduleFindings(config: Config): readonly Finding[] {
  const { learning_rate_schedule: schedule, max_steps, num_epochs } = config;
  if (schedule === "constant" || max_steps !== null || num_epochs === null) return [];
  const path = ["learning_rate_schedule"];
  const message = `A ${schedule} schedule spans the most steps that \`num_epochs\` can give. With \`refill\` the data ends earlier, while the learning rate is still high. Set \`max_steps\`, or use \`constant\`.`;
  const remedies = [setTo(path, "constant")];
  return [advice("TRL218", path, message, { relatedPaths: [["refill"]], remedies })];
}
