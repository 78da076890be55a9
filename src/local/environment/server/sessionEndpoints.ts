/** Session endpoints: creation, calls, end (`docs/protocols/openreward.md#sessions`). */

import { randomUUID } from "node:crypto";
import * as z from "zod";
import { errorMessage } from "../../../core/errors.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Clock } from "../../../core/ports.ts";
import { refusal } from "../../http/refusal.ts";
import type { StreamedReply } from "../../http/reply.ts";
import { outcomeStream } from "./eventWriter.ts";
import { findEnvironment, findTask, type HostedEnvironment, taskAt } from "./hostedEnvironment.ts";
import { checkSecrets, jsonOf, readBody, sessionId } from "./requestBody.ts";
import type { RequestContext } from "./requestContext.ts";
import { Session } from "./session.ts";

const jsonObject = z.record(z.string(), z.json());
const createBody = z
  .object({
    env_name: z.string().nullish(),
    task_spec: jsonObject.nullish(),
    split: z.string().nullish(),
    index: z.int().nullish(),
    toolset_name: z.string().nullish(),
    secrets: z.record(z.string(), z.string()).nullish(),
  })
  .refine(
    ({ task_spec, split, index }) =>
      task_spec == null ? split != null && index != null : split == null && index == null,
    "Exactly one of task_spec or (split and index) is required",
  );
const createSessionBody = z.object({ task_id: z.uuid() });
const callBody = z.object({ name: z.string(), input: jsonObject, task_id: z.string().nullish() });

/** Before `/create`, a session is just an id with a reserved place, so a retry with `task_id` gets its id again. */
export async function createSession(exchange: RequestContext): Promise<StreamedReply> {
  const { request, clock, sessions } = exchange;
  checkSecrets(request);
  const repeat = createSessionBody.safeParse(jsonOf(request));
  const sid = repeat.success ? repeat.data.task_id : randomUUID();
  sessions.reserve(sid);
  return outcomeStream(clock, sid, Promise.resolve({ kind: "result", json: "" }));
}

export async function create(exchange: RequestContext): Promise<Json> {
  const { request, environments, sessions, clock } = exchange;
  const sid = sessionId(request);
  checkSecrets(request);
  const body = readBody(request, createBody);
  if (body.toolset_name != null) {
    throw refusal(400, `unknown toolset '${body.toolset_name}': this server has none`);
  }
  const hosted =
    body.env_name == null ? exchange.hosted : findEnvironment(environments, body.env_name);
  const task = chooseTask(hosted, body);
  sessions.add(sid, () => openSession(hosted, task, clock));
  return { sid };
}

function chooseTask(hosted: HostedEnvironment, body: z.infer<typeof createBody>): JsonObject {
  const { definition } = hosted;
  if (body.task_spec != null) return findTask(definition, body.task_spec);
  // The schema guarantees both fields if there is no task.
  return taskAt(definition, body.split ?? "", body.index ?? 0);
}

function openSession(hosted: HostedEnvironment, task: JsonObject, clock: Clock): Session {
  try {
    return new Session({ hosted, task, clock });
  } catch (error) {
    throw refusal(500, `Error: ${errorMessage(error)}`);
  }
}

export function ping({ request, sessions }: RequestContext): Json {
  sessions.use(sessionId(request));
  return { status: "ok" };
}

/** Prompts have no roles, so the system text comes first. */
export function getPrompt({ request, sessions }: RequestContext): Json {
  const session = sessions.use(sessionId(request));
  return [...session.system(), ...session.prompt()];
}

export function getMessages({ request, sessions }: RequestContext): Json {
  const session = sessions.use(sessionId(request));
  const user = { role: "user", blocks: session.prompt(), detail: null };
  const blocks = session.system();
  return blocks.length === 0 ? [user] : [{ role: "system", blocks, detail: null }, user];
}

export function listTaskTools({ request, sessions }: RequestContext): Json {
  return sessions.use(sessionId(request)).hosted.toolList;
}

/** Starts a call and streams its result, or streams the result of the call named by `task_id`. */
export async function call(exchange: RequestContext): Promise<StreamedReply> {
  const { request, clock, sessions } = exchange;
  const sid = sessionId(request);
  const { name, input, task_id } = readBody(request, callBody);
  const session = sessions.use(sid);
  const found = task_id == null ? session.startCall(name, input) : session.findCall(task_id);
  const outcome = found?.outcome ?? Promise.resolve({ kind: "error", message: "unknown task_id" });
  return outcomeStream(clock, found?.taskId ?? null, outcome);
}

/** `/delete` ends the episode and `/delete_session` frees the id; here they are the same, even for unknown ids. */
export function remove({ request, sessions }: RequestContext): Json {
  const sid = sessionId(request);
  sessions.remove(sid);
  return { sid };
}
