/** An environment definition in the API's form: splits, tasks by index, and tool list. */

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../../core/json.ts";
import { refusal } from "../../http/refusal.ts";
import type { EnvironmentDefinition } from "../environment.ts";
import { inputSchema } from "./toolInput.ts";

export interface HostedEnvironment {
  readonly definition: EnvironmentDefinition;
  /** Reply of `/tools` and `/task_tools`. */
  readonly toolList: JsonObject;
}

/** Prepares a definition; its tool list never changes, so it is built once. */
export function hostEnvironment(definition: EnvironmentDefinition): HostedEnvironment {
  const tools = Object.entries(definition.tools).map(([name, tool]) => ({
    name,
    description: tool.description,
    input_schema: inputSchema(tool),
  }));
  const terminal = definition.terminalTool ?? null;
  const description = definition.tools[terminal?.name ?? ""]?.description ?? "";
  return {
    definition,
    toolList: {
      tools,
      terminal_tool: terminal === null ? null : { ...terminal, description },
      supports_score_group: false,
      message_block_types: ["text", "image"],
    },
  };
}

/** Finds an environment by name, ignoring case. @throws AppError `http-refused` 404 with the reference server's message */
export function findEnvironment(
  environments: readonly HostedEnvironment[],
  name: string,
): HostedEnvironment {
  const found = environments.find((hosted) => hosted.definition.name === name.toLowerCase());
  if (found === undefined) throw refusal(404, `unknown environment '${name}'`);
  return found;
}

/** Reply of `/splits`. */
export function listSplits(definition: EnvironmentDefinition): readonly JsonObject[] {
  return Object.keys(definition.splits).map((name) => ({ name, type: splitType(name) }));
}

/** The API has three types, but a dataset may use any names. */
function splitType(name: string): "train" | "validation" | "test" {
  if (/^(val|dev)/i.test(name)) return "validation";
  return /^(test|eval)/i.test(name) ? "test" : "train";
}

/** Number of tasks of a split. @throws AppError `http-refused` 400 for an unknown split */
export function countTasksOf({ splits }: EnvironmentDefinition, split: string): number {
  const count = Object.hasOwn(splits, split) ? splits[split] : undefined;
  if (count !== undefined) return count;
  throw refusal(400, `Invalid split ${split}: there is ${Object.keys(splits).join(", ")}`);
}

/** The task at `index`; negative indices count from the end. @throws AppError `http-refused` 400 */
export function taskAt(
  definition: EnvironmentDefinition,
  split: string,
  index: number,
): JsonObject {
  const count = countTasksOf(definition, split);
  const position = index < 0 ? index + count : index;
  if (position < 0 || position >= count) throw refusal(400, "Invalid index");
  return definition.task(split, position);
}

/** Tasks from `start` up to `stop`, with the clamping rules of a slice. */
export function taskRange(
  definition: EnvironmentDefinition,
  split: string,
  start: number | null,
  stop: number | null,
): readonly JsonObject[] {
  const count = countTasksOf(definition, split);
  const clamp = (index: number): number =>
    Math.min(Math.max(index < 0 ? index + count : index, 0), count);
  const from = clamp(start ?? 0);
  const to = clamp(stop ?? count);
  return Array.from({ length: Math.max(to - from, 0) }, (_, offset) =>
    definition.task(split, from + offset),
  );
}

/** The environment's own copy of a task sent by a client. @throws AppError `http-refused` 400 for an unknown task */
export function findTask(definition: EnvironmentDefinition, taskSpec: JsonObject): JsonObject {
  for (const [split, count] of Object.entries(definition.splits)) {
    for (let index = 0; index < count; index++) {
      const task = definition.task(split, index);
      if (isDeepStrictEqual(task, taskSpec)) return task;
    }
  }
  throw refusal(400, "Invalid task_spec: not a task of this environment");
}
