/** One environment definition as the wire shows it: its splits, its tasks by index, its tool list. */

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

/** Prepares a definition; its tool list is built once because it never changes. */
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

/** The environment of that name in any case. @throws AppError `http-refused` 404, with the text of the reference server. */
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

/** The wire has three types, a dataset any names. */
function splitType(name: string): "train" | "validation" | "test" {
  if (/^(val|dev)/i.test(name)) return "validation";
  return /^(test|eval)/i.test(name) ? "test" : "train";
}

/** Number of tasks of a split. @throws AppError `http-refused` 400 for one the environment does not have. */
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

/** The environment's own copy of a task that a client sends back. @throws AppError `http-refused` 400 for any other. */
export function findTask(definition: EnvironmentDefinition, taskSpec: JsonObject): JsonObject {
  for (const [split, count] of Object.entries(definition.splits)) {
    for (let index = 0; index < count; index++) {
      const task = definition.task(split, index);
      if (isDeepStrictEqual(task, taskSpec)) return task;
    }
  }
  throw refusal(400, "Invalid task_spec: not a task of this environment");
}
