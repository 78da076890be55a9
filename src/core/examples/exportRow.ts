/** A stored rollout as a row of a dataset: messages in OpenAI's chat format, with where they come from. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { assertNever } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import { areComplete, type TurnRecord } from "../rollout/episodeRecord.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import { groupBy } from "../util/groupBy.ts";
import { parseJson } from "../util/jsonl.ts";
import type { ChosenRollout } from "./chooseRollouts.ts";

export const EXPORT_FORMATS = ["messages", "tokens", "preference", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRow {
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  /** `train`, or `test` for what measures a model. */
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

/** `run` with the splits that its training draws from, by environment: rollouts of others measure. */
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

/** What messages cannot say. */
export const UNSAID =
  "an image, an oversized tool, an empty turn, an unreadable call or several conversations";

/** False when messages cannot say what the model read or wrote: {@link UNSAID}. */
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

/** One token stream of a rollout: ids with what training needs at the same index. */
export function tokensRow(row: ExportRow, stream: TokenRecord): JsonObject {
  const { messages: _m, tools: _t, ...place } = row;
  const numbers = (values: ArrayLike<number>): readonly (number | null)[] =>
    Array.from(values, (value) => (Number.isFinite(value) ? value : null));
  return {
    ...place,
    stream: stream.stream,
    tokens: Array.from(stream.ids),
    logprobs: numbers(stream.samplerLogprobs),
    trainer_logprobs: numbers(stream.trainerLogprobs),
    mask: Array.from(stream.mask),
    advantages: numbers(stream.advantages),
  };
}

/** A row with the record that it is of. */
export interface RecordRow {
  readonly row: ExportRow;
  readonly record: RolloutRecord;
}

/**
 * The best and the worst of the rollouts of one task as TRL's trainers read preferences: what both continue, and how each does. Null where
 * no two with the same prompt differ in their reward.
 */
export function preferenceRow(rollouts: readonly RecordRow[]): JsonObject | null {
  const rewardOf = ({ row }: RecordRow): number => row.reward ?? 0;
  // A task may ask each rollout something else.
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
    // A result behind the last turn would say which one is better.
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
      // An answer in plain text is no call, so what came back is a message.
      if (id === undefined) messages.push({ role: "user", content: text });
      else messages.push({ role: "tool", tool_call_id: id, content: text });
    }
    if (turn.nudge !== null) messages.push({ role: "user", content: turn.nudge });
  }
  return messages;
}

/** As the model wrote them where it wrote JSON, because other spaces would be other tokens. */
function writtenArguments({ args, raw }: TurnRecord["calls"][number]): string {
  for (let at = raw.indexOf("{"); at !== -1; at = raw.indexOf("{", at + 1)) {
    const end = endWithSpaces(raw, at, args);
    if (end !== null) return raw.slice(at, end);
  }
  return args;
}

/** Where the JSON text `compact` ends if `text` has it at `start`, with or without spaces around its values. */
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

/** Without those of calls that an agent's program made by itself, which are not in the model's conversation. */
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

/** What the model was asked, in OpenAI's chat format. */
function openingOf({
  systemText,
  promptText,
  conversation,
}: Pick<RolloutRecord, "systemText" | "promptText" | "conversation">): JsonObject[] {
  const said = conversation.find(({ type }) => type === "system_message")?.content;
  // One message of both, as in training: many templates take no second one.
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
        // One message says something and makes all of its calls.
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
