/** Known words that someone probably meant, and what other programs call our keys. */

import { editDistance } from "../util/editDistance.ts";

/** Longer words are no slip of the hand, and comparing them takes long. */
const MAX_LENGTH = 80;
const MAX_WORDS = 3;

/**
 * The candidates near `word`, nearest first, at most three: letter case and `-` against `_` aside, at most a third of
 * the letters of the longer one may differ, and always one; the same letters in another order are near, too.
 */
export function suggestKeys(word: string, candidates: readonly string[]): readonly string[] {
  if (word.length > MAX_LENGTH) return [];
  const wanted = normalize(word);
  return candidates
    .map((candidate) => ({ candidate, distance: distanceTo(wanted, normalize(candidate)) }))
    .filter(({ distance }) => distance !== null)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0))
    .slice(0, MAX_WORDS)
    .map(({ candidate }) => candidate);
}

/** Null when the words are not alike. */
function distanceTo(wanted: string, candidate: string): number | null {
  const longer = Math.max(wanted.length, candidate.length);
  const allowed = Math.max(1, Math.floor(longer / 3));
  if (Math.abs(wanted.length - candidate.length) > allowed || longer > MAX_LENGTH) return null;
  const distance = editDistance(wanted, candidate);
  if (distance <= allowed && distance < longer) return distance;
  return sortedLetters(wanted) === sortedLetters(candidate) ? distance : null;
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

/** Keys of other training programs, by the key that means the same here. */
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
  advantage_calculation: ["adv_estimator", "advantage_estimator"],
  grad_clip_norm: ["max_grad_norm", "grad_clip"],
  num_substeps: ["num_iterations", "ppo_epochs", "num_minibatches"],
  environments: ["environment", "env", "envs"],
  log_path: ["output_dir", "log_dir", "save_path"],
  run_name: ["name", "experiment_name"],
  wandb_project_name: ["wandb_project", "project", "project_name"],
  wandb_run_name: ["wandb_name"],
  resume_from: ["resume", "load_checkpoint_path", "resume_from_checkpoint"],
  tinker_base_url: ["base_url"],
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

/** What a key of another program is called here, or null. */
export function ownNameOf(foreign: string): string | null {
  return OWN_NAMES.get(normalize(foreign)) ?? null;
}

/** Keys of other programs without a counterpart, and why. */
const ABSENT: ReadonlyMap<string, string> = new Map(
  ["kl_coef", "kl_beta", "kl_penalty_coef", "beta", "init_kl_coef"].map((name) => [
    name,
    "There is no KL penalty: the clip bounds in `loss_fn_config` keep the policy near.",
  ]),
);

/** Why a key of another program has no counterpart here, or null when it is not known. */
export function absenceOf(foreign: string): string | null {
  return ABSENT.get(normalize(foreign)) ?? null;
}
