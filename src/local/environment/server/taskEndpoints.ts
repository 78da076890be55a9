/** Endpoints that describe an environment: splits, tools, and tasks (`docs/protocols/openreward.md#environments`). */

import * as z from "zod";
import type { Json } from "../../../core/json.ts";
import { countTasksOf, taskAt, taskRange } from "./hostedEnvironment.ts";
import { readBody } from "./requestBody.ts";
import type { RequestContext } from "./requestContext.ts";

const splitBody = z.object({ split: z.string() });
const taskBody = z.object({ split: z.string(), index: z.int() });
const rangeBody = z.object({
  split: z.string(),
  start: z.int().nullish(),
  stop: z.int().nullish(),
});

export function listTasks({ request, hosted: { definition } }: RequestContext): Json {
  const { split } = readBody(request, splitBody);
  const tasks = taskRange(definition, split, null, null);
  return { tasks, env_name: definition.name };
}

export function countTasks({ request, hosted: { definition } }: RequestContext): Json {
  const { split } = readBody(request, splitBody);
  return { num_tasks: countTasksOf(definition, split) };
}

export function getTask({ request, hosted: { definition } }: RequestContext): Json {
  const { split, index } = readBody(request, taskBody);
  const task = taskAt(definition, split, index);
  return { task, env_name: definition.name };
}

export function getTaskRange({ request, hosted }: RequestContext): Json {
  const { definition } = hosted;
  const { split, start, stop } = readBody(request, rangeBody);
  const tasks = taskRange(definition, split, start ?? null, stop ?? null);
  return { tasks, env_name: definition.name };
}
