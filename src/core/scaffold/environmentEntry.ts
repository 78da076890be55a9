/** Creates a new environment's configuration. */

import { flowText } from "../config/editing/text/valueText.ts";
import type { JsonObject } from "../json.ts";
import type { EnvironmentTemplate } from "./environmentTemplates.ts";

/** The value of `environments.NAME`. Paths are relative to the configuration. */
export function environmentEntry(
  { settings }: Pick<EnvironmentTemplate, "settings">,
  paths: { readonly python: string; readonly program: string },
): JsonObject {
  return {
    server: { command: [paths.python, paths.program] },
    splits: { train: {} },
    num_rollouts: 8,
    nonterminal_reward: 0,
    ...settings,
  };
}

/** A complete configuration that trains in the environment `name`, and evaluates on its `test` split if `hasTest`. */
export function environmentConfig(
  name: string,
  {
    suitsEmbeddedModel,
    hasTest,
  }: Pick<EnvironmentTemplate, "suitsEmbeddedModel"> & { readonly hasTest: boolean },
  entry: JsonObject,
): string {
  const model = suitsEmbeddedModel ? EMBEDDED_MODEL : CHOSEN_MODEL;
  const lines = Object.entries(entry).map(
    ([key, value]) => `    ${key}: ${flowText(value, "yaml")}`,
  );
  return `${model}
environments:
  ${name}:
${lines.join("\n")}

batch_size: 10 # tasks per step, so 10 x 8 = 80 rollouts
max_active_tasks: 80
max_steps: 30
${hasTest ? evaluationOf(name) : ""}`;
}

function evaluationOf(name: string): string {
  return `
# Evaluates on other tasks before the first step, every 10 steps, and after the last step.
evaluation:
  splits:
    ${name}: [test]
  every: 10
`;
}

const EMBEDDED_MODEL = `# Trains a small embedded model on this computer. Needs no key.
model_name: local/tiny-tool
lora_rank: 8
`;

const CHOSEN_MODEL = `# Choose a model: the embedded one, local/tiny-tool, is too small for these tasks.
# model_name: Qwen/Qwen3-8B # at Tinker, needs TINKER_API_KEY
`;
