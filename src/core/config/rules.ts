/** Rules over several fields, and advice about values that are allowed but rarely meant. */

import { nearestWord } from "../util/editDistance.ts";
import type { Finding } from "./issues.ts";
import { lossFindings } from "./lossRules.ts";
import type { Config, EnvironmentConfig } from "./schema.ts";

const ENVIRONMENT_NAME = /^[^/\s]+\/[^/\s]+$/;

/** Findings about a configuration whose fields are all sound by themselves. */
export function crossFieldFindings(config: Config): readonly Finding[] {
  return [
    ...modelFindings(config),
    ...startFindings(config),
    ...tokenFindings(config),
    ...learningRateFindings(config),
    ...lossFindings(config),
    ...Object.entries(config.environments).flatMap(([name, environment]) =>
      environmentFindings(["environments", name], environment),
    ),
    ...evaluationFindings(config),
    ...trackerFindings(config),
  ];
}

function conflict(path: readonly string[], message: string): Finding {
  return { severity: "error", code: "conflict", path, message, part: "value" };
}

function advice(path: readonly string[], message: string): Finding {
  return { severity: "warning", code: "advice", path, message, part: "value" };
}

function modelFindings({ lora_rank }: Config): readonly Finding[] {
  if (Number.isInteger(Math.log2(lora_rank))) return [];
  const below = 2 ** Math.floor(Math.log2(lora_rank));
  const message = `The rank must be a power of two, such as ${below} or ${below * 2}; got ${lora_rank}.`;
  return [conflict(["lora_rank"], message)];
}

function startFindings({ init_from, resume_from }: Config): readonly Finding[] {
  if (init_from === null || resume_from === null) return [];
  const message =
    "A run either continues (`resume_from`) or starts anew from weights (`init_from`); remove one of them.";
  return [conflict(["init_from"], message)];
}

function tokenFindings({ max_response_tokens, max_total_tokens }: Config): readonly Finding[] {
  if (max_response_tokens <= max_total_tokens) return [];
  const message = `A turn of ${max_response_tokens} tokens cannot fit into a rollout of ${max_total_tokens} (\`max_total_tokens\`); turns will be cut earlier.`;
  return [advice(["max_response_tokens"], message)];
}

function learningRateFindings({ learning_rate }: Config): readonly Finding[] {
  if (learning_rate > 0) return [];
  return [advice(["learning_rate"], "With a learning rate of 0 the model does not change.")];
}

function environmentFindings(
  path: readonly string[],
  environment: EnvironmentConfig,
): readonly Finding[] {
  return [
    ...groupFindings(path, environment),
    ...rewardFindings(path, environment),
    ...samplingFindings(path, environment),
  ];
}

function groupFindings(
  path: readonly string[],
  { num_rollouts, max_failing_rollouts }: EnvironmentConfig,
): readonly Finding[] {
  if (num_rollouts - max_failing_rollouts >= 2) return [];
  const message =
    `At least two rollouts of a group must succeed to be compared, but ${max_failing_rollouts} of ${num_rollouts} may fail. ` +
    `Lower it to ${num_rollouts - 2} or raise \`num_rollouts\`.`;
  return [conflict([...path, "max_failing_rollouts"], message)];
}

function rewardFindings(
  path: readonly string[],
  { min_reward, max_reward }: EnvironmentConfig,
): readonly Finding[] {
  if (min_reward === null || max_reward === null || min_reward <= max_reward) return [];
  const message = `The lower bound ${min_reward} lies above \`max_reward\` ${max_reward}; swap them.`;
  return [conflict([...path, "min_reward"], message)];
}

function samplingFindings(
  path: readonly string[],
  { temperature, top_p, top_k }: EnvironmentConfig,
): readonly Finding[] {
  const found: Finding[] = [];
  const offPolicy = "Log-probabilities are reported without it, so training becomes off-policy.";
  if (temperature === 0) {
    const message = "At temperature 0 all rollouts of a group are the same and nothing is learned.";
    found.push(advice([...path, "temperature"], message));
  } else if (temperature !== 1) {
    found.push(advice([...path, "temperature"], `The temperature is not 1. ${offPolicy}`));
  }
  if (top_p !== null && top_p < 1) {
    found.push(advice([...path, "top_p"], `Sampling is cut at top_p ${top_p}. ${offPolicy}`));
  }
  if (top_k !== null) {
    found.push(advice([...path, "top_k"], `Sampling is cut at top_k ${top_k}. ${offPolicy}`));
  }
  return found;
}

function evaluationFindings({ evaluation, environments }: Config): readonly Finding[] {
  if (evaluation === null) return [];
  const trained = Object.keys(environments);
  return Object.entries(evaluation.splits).flatMap(([name, splits]) => {
    const path = ["evaluation", "splits", name];
    if (!trained.includes(name) && !ENVIRONMENT_NAME.test(name)) {
      return [unknownEnvironment(path, name, trained)];
    }
    const trainedSplits = Object.keys(environments[name]?.splits ?? {});
    return splits.flatMap((split, index) =>
      trainedSplits.includes(split)
        ? [advice([...path, String(index)], `The split \`${split}\` is trained on, too.`)]
        : [],
    );
  });
}

function unknownEnvironment(
  path: readonly string[],
  name: string,
  trained: readonly string[],
): Finding {
  const nearest = nearestWord(name, trained);
  const hint =
    nearest === null ? "Write it as `Owner/Name` or `local/name`." : `Did you mean \`${nearest}\`?`;
  const message = `\`${name}\` is no environment of this file and no full name. ${hint}`;
  return { ...conflict(path, message), part: "key" };
}

function trackerFindings(config: Config): readonly Finding[] {
  const { wandb, wandb_project_name, openreward_upload } = config;
  const found: Finding[] = [];
  if (wandb !== "disabled" && wandb_project_name === null) {
    const message =
      "Weights & Biases needs a project: add `wandb_project_name`, or set `wandb: disabled`.";
    found.push(conflict(["wandb"], message));
  } else if (wandb !== "disabled") {
    const message =
      "Weights & Biases is not available in this version, nothing is sent; metrics are in metrics.jsonl of the run folder.";
    found.push(advice(["wandb"], message));
  }
  if (openreward_upload) {
    const message =
      "The upload to OpenReward is not available in this version, nothing is sent; rollouts are in the run folder, and `tinker-rl show` shows them.";
    found.push(advice(["openreward_upload"], message));
  }
  return found;
}
