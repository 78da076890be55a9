/** Templates for *New Configuration…*, also offered as snippets in an empty file. */

import type { Span } from "../../source/span.ts";
import { type Completion, snippetText } from "./completion.ts";

export type TemplateKind = "local" | "own" | "hosted" | "several";

export interface Template {
  readonly kind: TemplateKind;
  readonly title: string;
  readonly description: string;
  /** A complete, valid configuration. */
  readonly text: string;
}

/** The configuration written by *Start Local Demo*. */
export const DEMO = `# Trains a small embedded model on this computer. Needs no key.
model_name: local/tiny-tool
lora_rank: 8

environments:
  local/calculator:
    splits:
      train: {}
    num_rollouts: 8 # rollouts per task, compared with each other
    max_failing_rollouts: 2 # skip a group with more failed rollouts
    nonterminal_reward: 0 # a rollout without an answer counts as wrong
    max_turns: 8

batch_size: 16 # tasks per step, so 16 x 8 = 128 rollouts
max_active_tasks: 128
max_steps: 40
save_every: 10

# Evaluates on other tasks before the first step, every 10 steps, and after the last step.
evaluation:
  splits:
    local/calculator: [test]
  num_samples: 128
  every: 10
`;

const OWN = `# Trains the embedded model in your own environment. Needs no key.
# The environment is an Open Reward Standard server; start it first.
# "tinker-rl env new NAME" or *Tinker RL: New Environment…* writes one, and an entry that starts it automatically.
model_name: local/tiny-tool
lora_rank: 8

openreward_base_url: http://127.0.0.1:8080 # where your server listens
environments:
  products: # the name of your Environment class, in lowercase
    splits:
      train: {}
    num_rollouts: 8 # rollouts per task, compared with each other
    max_failing_rollouts: 2 # skip a group with more failed rollouts
    nonterminal_reward: 0 # a rollout without an answer counts as wrong
    max_turns: 8

batch_size: 16 # tasks per step, so 16 x 8 = 128 rollouts
max_active_tasks: 128
max_steps: 40
save_every: 10
`;

/** Settings for a hosted model. They end inside `evaluation` so that a template can add to it. */
const HOSTED_SETTINGS = `learning_rate: 2e-5 # 4e-5 for smaller models, 1e-5 for larger ones
adam_eps: 1e-8
loss_fn_config:
  clip_low_threshold: 0.8
  clip_high_threshold: 1.28 # lets rare tokens become more likely
max_response_tokens: 4096
max_total_tokens: 32768
rollout_timeout: 600 # seconds; 32768 tokens take about 550
max_cost_usd: 20 # save and end the run after the step that reaches this cost
max_active_tasks: 128 # concurrent rollouts

# Evaluates on other tasks before the first step, every 10 steps, and after the last step.
evaluation:
  splits:
    GeneralReasoning/WhoDunit: [test]
`;

const HOSTED = `# Trains a hosted model. Needs TINKER_API_KEY and OPENREWARD_API_KEY.
model_name: Qwen/Qwen3-8B
lora_rank: 32

environments:
  GeneralReasoning/WhoDunit:
    splits:
      train: {}
    num_rollouts: 16 # rollouts per task, compared with each other
    max_failing_rollouts: 4 # skip a group with more failed rollouts
    nonterminal_reward: 0 # a rollout without an answer counts as wrong

batch_size: 32 # tasks per step, so 32 x 16 = 512 rollouts
num_epochs: 1
save_every: 10

${HOSTED_SETTINGS}  num_samples: 128
  every: 10
`;

const SEVERAL = `# Trains one model in two environments. Needs TINKER_API_KEY and OPENREWARD_API_KEY.
model_name: Qwen/Qwen3-8B
lora_rank: 32

environments:
  GeneralReasoning/WhoDunit:
    splits:
      train: {}
    num_rollouts: 16
    max_failing_rollouts: 4
    nonterminal_reward: 0
    weight: 2 # twice as many tasks as the next one
  local/calculator:
    splits:
      train: {}
    num_rollouts: 8
    max_failing_rollouts: 2
    nonterminal_reward: 0
    weight: 1
mix: weighted

batch_size: 32
num_epochs: 1
save_every: 10

${HOSTED_SETTINGS}    local/calculator: [test]
  num_samples: 128
  every: 10
`;

/** In display order. */
export const TEMPLATES: readonly Template[] = [
  {
    kind: "local",
    title: "Local demo",
    description: "A small embedded model and an embedded environment; no key, no network",
    text: DEMO,
  },
  {
    kind: "own",
    title: "Your own environment",
    description: "The embedded model in an environment that you serve; no key",
    text: OWN,
  },
  {
    kind: "hosted",
    title: "Hosted model, one environment",
    description: "A model on Tinker in an environment on OpenReward",
    text: HOSTED,
  },
  {
    kind: "several",
    title: "Hosted model, several environments",
    description: "One model in two environments, mixed by weight",
    text: SEVERAL,
  },
];

/** The templates as completions for an empty file. */
export function fileSnippets(replace: Span): readonly Completion[] {
  return TEMPLATES.map(({ kind, title, description, text }, index) => ({
    label: `tinker-config: ${title}`,
    kind: "snippet",
    detail: description,
    documentation: `\`\`\`yaml\n${text}\`\`\``,
    snippet: `${snippetText(text.trimEnd())}$0`,
    replace,
    filter: `tinker-config ${kind} ${title}`,
    sort: `!${index}`,
    isDeprecated: false,
    retrigger: false,
  }));
}
