/** A stored rollout as a row of a dataset: messages in OpenAI's chat format, and their origin. */

import { groupBy } from "../../shared/groupBy.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { assertNever } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import { areComplete, type TurnRecord } from "../rollout/episodeRecord.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import { parseJson } from "../util/jsonl.ts";
import type { ChosenRollout } from "./chooseRollouts.ts";

export const EXPORT_FORMATS = ["messages", "tokens", "preference", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRow {
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  /** `train`, or `test` for evaluation data. */
  readonly split: "train" | "test";
  readonly environment: string;
  readonly task_split: string;
  readonly task_index: number;
  readonly reward: number | null;
  readonly run: string;
  readonly step: number;
  readonly group: number;
  readonly rollout: number;
  readonly star: boolean;
  readonly tags: readonly string[];
  readonly note: string;
}

/** `run` contains the splits that it trains on, by environment. Rollouts of other splits are test data. */
export function exportRow(
  run: { readonly name: string; readonly trained: Readonly<Record<string, readonly string[]>> },
  { summary, mark }: ChosenRollout,
  record: RolloutRecord,
): ExportRow {
  const { environment, split, index, reward, step, group, rollout, source } = summary;
  const isTrained = source === "training" || run.trained[environment]?.includes(split) === true;
  return {
    messages: messagesOf(record),
    tools: record.tools.map(toolOf),
    split: isTrained && split !== "test" ? "train" : "test",
    environment,
    task_split: split,
    task_index: index,
    reward,
    run: run.name,
    step,
    group,
    rollout,
    star: mark.star,
    tags: mark.tags,
    note: mark.note,
  };
}

/** Content that messages cannot express. */
export const UNSAID =
  "an image, an oversized tool, an empty turn, an unreadable call or several conversations";

/** False if messages cannot express what the model read or wrote: {@link UNSAID}. */
export function isSaidByMessages({ turns, agent, images, tools }: RolloutRecord): boolean {
  return (
    images.length === 0 &&
    areComplete(tools) &&
    turns.every(
      ({ content, calls, errors, stream }) =>
        errors.length === 0 &&
        (content !== "" || calls.length > 0) &&
        (agent === undefined || stream === 0),
    )
  );
}

/** One token stream of a rollout: ids and training data at the same index. */
export function tokensRow(row: ExportRow, stream: TokenRecord): JsonObject {
  const { messages: _m, tools: _t, ...origin } = row;
  const numbers = (values: ArrayLike<number>): readonly (number | null)[] =>
    Array.from(values, (value) => (Number.isFinite(value) ? value : null));
  return {
    ...origin,
    stream: stream.stream,
    tokens: Array.from(stream.ids),
    logprobs: numbers(stream.samplerLogprobs),
    trainer_logprobs: numbers(stream.trainerLogprobs),
    mask: Array.from(stream.mask),
    advantages: numbers(stream.advantages),
  };
}

/** A row and its record. */
export interface RecordRow {
  readonly row: ExportRow;
  readonly record: RolloutRecord;
}

/**
 * The best and the worst rollout of one task in the preference format of TRL's trainers: a common prompt and two answers. Null if
 * no two rollouts with the same prompt differ in reward.
 */
export function preferenceRow(rollouts: readonly RecordRow[]): JsonObject | null {
  const rewardOf = ({ row }: RecordRow): number => row.reward ?? 0;
  // A task may have different prompts for its rollouts.
  const asked = groupBy(rollouts, ({ row, record }) =>
    JSON.stringify([openingOf(record), row.tools]),
  );
  const pairs = [...asked.values()].flatMap((own) => {
    const [best, ...others] = own.toSorted((a, b) => rewardOf(b) - rewardOf(a));
    const worst = others.at(-1);
    if (best === undefined || worst === undefined || rewardOf(worst) === rewardOf(best)) return [];
    return { best, worst };
  });
  const [pair] = pairs.toSorted((a, b) => rewardOf(b.best) - rewardOf(a.best));
  if (pair === undefined) return null;
  const { best, worst } = pair;
  const { environment, split, task_split, task_index, tools, run, step, group } = best.row;
  const prompt = openingOf(best.record);
  const answerOf = ({ row: { messages } }: RecordRow): readonly JsonObject[] => {
    // A result after the last turn would reveal which one is better.
    const end = messages.findLastIndex(({ role }) => role === "assistant") + 1;
    return messages.slice(prompt.length, end);
  };
  return {
    prompt,
    chosen: answerOf(best),
    rejected: answerOf(worst),
    tools,
    split,
    environment,
    task_split,
    task_index,
    chosen_reward: best.row.reward,
    rejected_reward: worst.row.reward,
    run,
    step,
    group,
    chosen_rollout: best.row.rollout,
    rejected_rollout: worst.row.rollout,
  };
}

function toolOf({ name, description, parameters }: RolloutRecord["tools"][number]): JsonObject {
  const schema = parameters === undefined ? undefined : parseJson(parameters)?.value;
  const empty = { type: "object", properties: {} };
  return {
    type: "function",
    function: { name, description, parameters: (schema as Json) ?? empty },
  };
}

function messagesOf(record: RolloutRecord): readonly JsonObject[] {
  const messages: JsonObject[] = openingOf(record);
  let calls = 0;
  for (const turn of record.turns) {
    const ids = turn.calls.map(() => `call_${calls++}`);
    messages.push(
      withoutUndefined({
        role: "assistant",
        content: turn.content === "" && ids.length > 0 ? null : turn.content,
        reasoning_content: turn.reasoning ?? undefined,
        tool_calls:
          ids.length === 0
            ? undefined
            : turn.calls.map((call, i) => ({
                id: ids[i] ?? "",
                type: "function",
                function: { name: call.name, arguments: writtenArguments(call) },
              })),
      }),
    );
    for (const [i, { text }] of readResults(record, turn).entries()) {
      const id = ids[i];
      // An answer in plain text has no call, so its result is a message.
      if (id === undefined) messages.push({ role: "user", content: text });
      else messages.push({ role: "tool", tool_call_id: id, content: text });
    }
    if (turn.nudge !== null) messages.push({ role: "user", content: turn.nudge });
  }
  return messages;
}

/** Arguments as written by the model if it wrote JSON, because different whitespace would be different tokens. */
function writtenArguments({ args, raw }: TurnRecord["calls"][number]): string {
  for (let at = raw.indexOf("{"); at !== -1; at = raw.indexOf("{", at + 1)) {
    const end = endWithSpaces(raw, at, args);
    if (end !== null) return raw.slice(at, end);
  }
  return args;
}

/** End of the JSON text `compact` in `text` from `start`, ignoring whitespace between its values; null if it is not there. */
function endWithSpaces(text: string, start: number, compact: string): number | null {
  let at = start;
  let isInString = false;
  let isEscaped = false;
  for (const unit of compact.split("")) {
    if (!isInString) while (/\s/.test(text.charAt(at))) at += 1;
    if (text.charAt(at) !== unit) return null;
    at += 1;
    if (unit === '"' && !isEscaped) isInString = !isInString;
    isEscaped = unit === "\\" && !isEscaped;
  }
  return at;
}

/** Excludes results of calls that an agent's program made itself, because they are not in the model's conversation. */
function readResults(
  { agent }: RolloutRecord,
  { calls, results }: TurnRecord,
): TurnRecord["results"] {
  if (agent === undefined) return results;
  const made = results.findIndex(
    ({ name, agentArgs }, i) => agentArgs !== undefined || name !== calls[i]?.name,
  );
  return made === -1 ? results : results.slice(0, made);
}

/** The model's prompt in OpenAI's chat format. */
function openingOf({
  systemText,
  promptText,
  conversation,
}: Pick<RolloutRecord, "systemText" | "promptText" | "conversation">): JsonObject[] {
  const said = conversation.find(({ type }) => type === "system_message")?.content;
  // Merged into one message, as in training, because many templates accept only one.
  const texts = [systemText, said ?? null].filter((text) => text !== null);
  const system = texts.length === 0 ? [] : [{ role: "system", content: texts.join("\n\n") }];
  if (conversation.length === 0) return [...system, { role: "user", content: promptText }];
  const messages: JsonObject[] = [...system];
  for (const { type, content, name = "", callId = "" } of conversation) {
    switch (type) {
      case "system_message":
      case "reasoning":
        break;
      case "user_message":
        messages.push({ role: "user", content });
        break;
      case "assistant_message":
        messages.push({ role: "assistant", content });
        break;
      case "tool_call": {
        const own = { id: callId, type: "function", function: { name, arguments: content } };
        const last = messages.at(-1);
        // A message contains both its text and all of its calls.
        if (last?.["role"] === "assistant") {
          const { tool_calls: before = [] } = last as { readonly tool_calls?: readonly Json[] }; // what is pushed here
          messages[messages.length - 1] = { ...last, tool_calls: [...before, own] };
        } else messages.push({ role: "assistant", content: null, tool_calls: [own] });
        break;
      }
      case "tool_result":
        messages.push({ role: "tool", tool_call_id: callId, content });
        break;
      default:
        assertNever(type);
    }
  }
  return messages;
}
