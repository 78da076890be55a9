/** Names that other training programs use for our keys. */

import { normalizeWord } from "../../../shared/editDistance.ts";

/** Keys of other training programs, listed under our equivalent. */
const FOREIGN_NAMES: Readonly<Record<string, readonly string[]>> = {
  model_name: ["model", "base_model", "model_name_or_path", "model_path"],
  lora_rank: ["rank", "lora_r", "r", "peft_rank"],
  learning_rate: ["lr", "actor_lr"],
  learning_rate_schedule: ["lr_scheduler_type", "lr_schedule", "scheduler"],
  warmup_steps: ["num_warmup_steps", "lr_warmup_steps"],
  batch_size: ["groups_per_batch", "train_batch_size", "per_device_train_batch_size"],
  num_rollouts: ["num_generations", "group_size", "rollouts_per_example", "n_samples_per_prompt"],
  max_response_tokens: [
    "max_tokens",
    "max_new_tokens",
    "max_completion_length",
    "max_response_length",
  ],
  max_total_tokens: ["max_seq_len", "max_seq_length", "max_model_len", "context_length"],
  num_epochs: ["epochs", "num_train_epochs", "total_epochs"],
  max_steps: ["steps", "num_steps", "total_steps", "total_training_steps"],
  save_every: ["save_steps", "save_freq", "save_interval", "checkpoint_every"],
  loss_fn: ["loss", "loss_type", "policy_loss"],
  off_policy_correction: ["rollout_correction", "rollout_is", "use_tis", "tis_ratio_type"],
  advantage_calculation: ["adv_estimator", "advantage_estimator"],
  grad_clip_norm: ["max_grad_norm", "grad_clip"],
  kl_coef: ["kl_beta", "kl_penalty_coef", "kl_loss_coef", "init_kl_coef", "beta"],
  num_substeps: ["num_minibatches"],
  num_passes: ["num_iterations", "ppo_epochs", "num_ppo_epochs", "update_epochs"],
  environments: ["environment", "env", "envs"],
  log_path: ["output_dir", "log_dir", "save_path"],
  run_name: ["name", "experiment_name"],
  wandb_project_name: ["wandb_project", "project", "project_name"],
  wandb_run_name: ["wandb_name"],
  resume_from: ["resume", "load_checkpoint_path", "resume_from_checkpoint"],
  tinker_base_url: ["base_url"],
  rollouts_per_task: ["samples_per_task"],
  num_samples: ["num_examples", "max_samples"],
  max_turns: ["max_steps_per_episode"],
  max_active_tasks: ["max_concurrent", "max_concurrency"],
  thinking: ["enable_thinking", "reasoning"],
  seed: ["random_seed"],
};

const OWN_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(FOREIGN_NAMES).flatMap(([own, names]) =>
    names.map((name) => [name, own] as const),
  ),
);

/** Our name for another program's key, or null. */
export function ownNameOf(foreign: string): string | null {
  return OWN_NAMES.get(normalizeWord(foreign)) ?? null;
}
