/** Finds the endpoint and the environment of a request: `docs/protocols/openreward.md#the-embedded-server`. */

import type { IncomingMessage } from "node:http";
import { HttpFault } from "./fault.ts";
import { findEnvironment, type HostedEnvironment, listSplits } from "./hostedEnvironment.ts";
import type { Endpoint } from "./requestContext.ts";
import {
  call,
  create,
  createSession,
  getMessages,
  getPrompt,
  listTaskTools,
  ping,
  remove,
} from "./sessionEndpoints.ts";
import { countTasks, getTask, getTaskRange, listTasks } from "./taskEndpoints.ts";

/** Release of the `openreward` dialect that this server speaks. */
const DIALECT_VERSION = "0.1.167";

const ROOT_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  health: { method: "GET", handle: () => ({ status: "ok" }) },
  version: { method: "GET", handle: () => ({ version: DIALECT_VERSION, build_sha: null }) },
  list_environments: {
    method: "GET",
    handle: ({ environments }) => environments.map(({ definition }) => definition.name),
  },
  create_session: { method: "POST", handle: createSession },
  create: { method: "POST", handle: create },
  ping: { method: "POST", handle: ping },
  delete: { method: "POST", handle: remove },
  delete_session: { method: "POST", handle: remove },
};

const ENVIRONMENT_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  splits: { method: "GET", handle: ({ hosted }) => listSplits(hosted.definition) },
  tools: { method: "GET", handle: ({ hosted }) => hosted.toolList },
  tasks: { method: "POST", handle: listTasks },
  num_tasks: { method: "POST", handle: countTasks },
  task: { method: "POST", handle: getTask },
  task_range: { method: "POST", handle: getTaskRange },
  prompt: { method: "GET", handle: getPrompt },
  messages: { method: "GET", handle: getMessages },
  task_tools: { method: "GET", handle: listTaskTools },
  call: { method: "POST", handle: call },
};

/** Names that an environment may not take, because a path of one segment already means something. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(ROOT_ENDPOINTS),
  ...Object.keys(ENVIRONMENT_ENDPOINTS),
  "score_group",
]);

export interface Route {
  readonly endpoint: Endpoint;
  readonly hosted: HostedEnvironment;
}

/** Finds the endpoint of a request. @throws HttpFault 404 for an unknown path or environment, 405 for another method. */
export function route(
  environments: readonly [HostedEnvironment, ...HostedEnvironment[]],
  request: IncomingMessage,
): Route {
  const [first = "", second, ...rest] = pathSegments(request.url ?? "/");
  const isBare = second === undefined;
  const hosted = isBare
    ? deployedEnvironment(environments, request)
    : findEnvironment(environments, first);
  const name = second ?? first;
  const endpoint = isBare
    ? (own(ROOT_ENDPOINTS, name) ?? own(ENVIRONMENT_ENDPOINTS, name))
    : own(ENVIRONMENT_ENDPOINTS, name);
  if (endpoint === undefined || rest.length > 0) throw new HttpFault(404, "Not Found");
  if (request.method !== endpoint.method) throw new HttpFault(405, "Method Not Allowed");
  return { endpoint, hosted };
}

function own(endpoints: Readonly<Record<string, Endpoint>>, name: string): Endpoint | undefined {
  return Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
}

function pathSegments(target: string): readonly string[] {
  const [path = ""] = target.split("?");
  try {
    return path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    throw new HttpFault(404, "Not Found");
  }
}

/** Bare paths go to the environment that `X-Deployment` names, in full or after its slash; else to the first. */
function deployedEnvironment(
  environments: readonly [HostedEnvironment, ...HostedEnvironment[]],
  request: IncomingMessage,
): HostedEnvironment {
  const header = request.headers["x-deployment"];
  const name = typeof header === "string" ? header.split("/").at(-1)?.toLowerCase() : undefined;
  return environments.find(({ definition }) => definition.name === name) ?? environments[0];
}
