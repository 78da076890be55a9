/** Converts a stored rollout into an upload: its conversation, its rewards, and its use in training. */

import type { Config } from "../../config/fields/schema.ts";
import type { JsonObject } from "../../json.ts";
import type { Sha256 } from "../../ports.ts";
import type {
  EvaluationUse,
  RolloutRecord,
  ScoredLine,
} from "../../runFolder/rollouts/rolloutRecord.ts";
import type { RolloutUpload, UploadMessage } from "./uploadEvents.ts";

export interface UploadSettings {
  readonly sha256: Sha256;
  /** The id in `run.json`. */
  readonly runId: string;
  readonly runName: string;
  readonly config: Pick<
    Config,
    | "model_name"
    | "lora_rank"
    | "loss_fn"
    | "batch_size"
    | "learning_rate"
    | "max_response_tokens"
    | "environments"
  >;
  /** Name and version of this program. */
  readonly framework: readonly [name: string, version: string];
}

type TrainingUse = Pick<ScoredLine, "advantage" | "trainingUse">;
/** Why the rollout was played: training gives it an advantage, an evaluation its own temperature. */
export type RolloutUse = TrainingUse | EvaluationUse;

type Turn = RolloutRecord["turns"][number];

/**
 * Ids are digests of what was said and earned, without durations and dates, so a repeated upload has the same ids. `nameSuffix`
 * distinguishes rollouts that would share a name within their step. Evaluations go into a separate run next to the training run.
 */
export function describeRollout(
  record: RolloutRecord,
  use: RolloutUse,
  settings: UploadSettings,
  nameSuffix = "",
): RolloutUpload {
  const { sha256, runId, runName } = settings;
  const { environment: name, split, index, step, rollout } = record;
  const [environment = name, variant] = name.split(":");
  const isEvaluated = "purpose" in use;
  const label = isEvaluated ? evaluationLabel(step, use) : `step${step}`;
  const rolloutName = `${name}-${split}-${index}-${label}-r${rollout}${nameSuffix}`;
  const messages = messagesOf(record);
  const metadata = metadataOf(record, use);
  const said = messages.map(({ timestampMs: _, ...message }) => message);
  const position = [step, record.group, rollout];
  const id = uuidOf(sha256(JSON.stringify([runId, position, rolloutName, metadata, said])));
  const startedAtMs = Math.round(record.startedAtMs);
  return {
    id,
    messageId: (at) => uuidOf(sha256(`${id}/${at}`)),
    runName: isEvaluated ? `${runName}-eval` : runName,
    rolloutName,
    environment,
    split,
    metadata,
    messages,
    startedAtMs,
    variant,
    runInfo: runInfo(settings, isEvaluated ? "eval" : "train"),
    rolloutInfo: rolloutInfo(record, use, settings.config),
    endedAtMs: Math.round(record.startedAtMs + record.durationMs),
  };
}

/** Evaluations of the same step differ by model, or one of them is the evaluation at the end. */
function evaluationLabel(step: number, { temperature, purpose, model }: EvaluationUse): string {
  const ownName = model?.replace(/\s+/g, "-") ?? `step${step}`;
  return `eval-${ownName}${purpose === "end" ? "-end" : ""}-t${temperature}`;
}

function runInfo({ config, framework }: UploadSettings, runType: "train" | "eval"): JsonObject {
  const [name, version] = framework;
  return {
    model_name: config.model_name,
    run_type: runType,
    training_stage: "rl",
    peft_type: "lora",
    peft_rank: config.lora_rank,
    rl_algorithm: config.loss_fn,
    batch_size: config.batch_size,
    lr: config.learning_rate,
    optimizer: "adamw",
    framework: name,
    framework_version: version,
  };
}

function rolloutInfo(
  record: RolloutRecord,
  use: RolloutUse,
  config: UploadSettings["config"],
): JsonObject {
  const environment =
    "purpose" in use
      ? { temperature: use.temperature, top_p: 1, top_k: 0 }
      : config.environments[record.environment];
  return {
    task_index: record.index,
    current_step: record.step,
    temperature: environment?.temperature ?? null,
    top_p: environment?.top_p ?? null,
    top_k: environment?.top_k || null,
    max_tokens: config.max_response_tokens,
    duration_ms: Math.round(record.durationMs),
    harness: "tinker-rl",
  };
}

function metadataOf(record: RolloutRecord, use: RolloutUse): JsonObject {
  const { turns } = record;
  const calls = turns.flatMap((turn) => turn.calls);
  const errors = turns.flatMap((turn) => turn.errors);
  const failed = turns.flatMap(({ results }) => results.filter(({ isError }) => isError));
  return {
    step: record.step,
    group: record.group,
    rollout_idx: record.rollout,
    task_key: record.taskKey,
    stop: record.stop,
    num_tool_calls: calls.length + errors.length,
    num_failed_tool_calls: failed.length + errors.length,
    called_answer: calls.some(({ name }) => name === "answer") ? 1 : 0,
    reward: record.reward,
    group_score: record.rewardBreakdown.group,
    ...("purpose" in use
      ? { evaluation: use.purpose, model: use.model ?? null }
      : trainingMetadata(use)),
    error: record.error,
  };
}

function trainingMetadata({ advantage, trainingUse }: TrainingUse): JsonObject {
  const included = trainingUse === "trained";
  return {
    advantage,
    included,
    excluded: included ? null : trainingUse.replace(/^excluded:/, ""),
  };
}

function messagesOf(record: RolloutRecord): readonly UploadMessage[] {
  const { systemText, promptText, conversation, turns } = record;
  const timestampMs = Math.round(record.startedAtMs);
  const opening: UploadMessage[] = [];
  if (systemText !== null) {
    opening.push({ type: "system_message", content: systemText, timestampMs });
  }
  // Without a prompt, the rollout failed before it began.
  if (conversation.length > 0) {
    opening.push(...conversation.map((message) => ({ ...message, timestampMs })));
  } else if (promptText !== "" || turns.length > 0) {
    opening.push({ type: "user_message", content: promptText, timestampMs });
  }
  return withGroupScore([...opening, ...turns.flatMap(turnMessages)], record.rewardBreakdown.group);
}

/** Attaches the group's score to the last message, unless that has its own reward. */
function withGroupScore(
  messages: readonly UploadMessage[],
  score: number | null,
): readonly UploadMessage[] {
  const last = messages.at(-1);
  if (last === undefined || score === null || (last.reward ?? null) !== null) return messages;
  return [...messages.slice(0, -1), { ...last, reward: score }];
}

/** The model's text, its calls, their results, and the message sent if there was no result. */
function turnMessages(turn: Turn, number: number): readonly UploadMessage[] {
  const { reasoning, content, calls, errors, results, nudge, asked } = turn;
  const timestampMs = Math.round(turn.startedAtMs);
  const afterwards = { timestampMs: Math.round(turn.startedAtMs + turn.durationMs) };
  const isSilent = calls.length + errors.length === 0 && (reasoning ?? "") === "";
  const callId = (at: number): string => `turn${number}-call${at}`;
  const messages: UploadMessage[] = [];
  if (asked !== undefined) messages.push({ type: "user_message", content: asked, timestampMs });
  if (reasoning !== null && reasoning !== "") {
    messages.push({ type: "reasoning", content: reasoning, timestampMs });
  }
  if (content.trim() !== "" || isSilent) {
    messages.push({ type: "assistant_message", content, timestampMs });
  }
  for (const [at, call] of calls.entries()) {
    messages.push({ ...callMessage(call, callId(at)), timestampMs });
  }
  for (const { raw } of errors) {
    messages.push({ type: "assistant_message", content: raw, timestampMs });
  }
  for (const [at, result] of results.entries()) {
    messages.push({
      type: "tool_result",
      content: result.text,
      callId: callId(at),
      reward: result.reward,
      isFinished: result.finished,
      metadata: result.isError ? { error: true } : {},
      ...afterwards,
    });
  }
  for (const { kind, message } of errors) {
    messages.push({
      type: "user_message",
      content: message,
      metadata: { error: kind },
      ...afterwards,
    });
  }
  if (nudge !== null && errors.length === 0) {
    messages.push({ type: "user_message", content: nudge, ...afterwards });
  }
  return messages;
}

/** A call without a name cannot be uploaded as a call. */
function callMessage(
  { name, args, raw }: Turn["calls"][number],
  callId: string,
): Omit<UploadMessage, "timestampMs"> {
  if (name.trim() === "") return { type: "assistant_message", content: raw };
  return { type: "tool_call", name, content: args, callId };
}

/** Formats a digest like a random UUID, which is what the official client sends. */
function uuidOf(digest: string): string {
  const variant = (8 + (Number.parseInt(digest.charAt(16), 16) % 4)).toString(16);
  const hex = `${digest.slice(0, 12)}4${digest.slice(13, 16)}${variant}${digest.slice(17, 32)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
