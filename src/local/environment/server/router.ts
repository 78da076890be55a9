/** The server's endpoints, and the environment of a request: `docs/protocols/openreward.md#the-embedded-server`. */

import type { Json } from "../../../core/json.ts";
import { jsonReply, type StreamedReply } from "../../http/reply.ts";
import type { Routes, ServiceRequest } from "../../http/router.ts";
import { findEnvironment, type HostedEnvironment, listSplits } from "./hostedEnvironment.ts";
import type { Endpoints, RequestContext } from "./requestContext.ts";
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

/** Version of the `openreward` dialect that this server speaks. */
const DIALECT_VERSION = "0.1.167";

const ROOT_ENDPOINTS: Endpoints = {
  "GET /version": () => ({ version: DIALECT_VERSION, build_sha: null }),
  "GET /list_environments": ({ environments }) =>
    environments.map(({ definition }) => definition.name),
  "POST /create_session": createSession,
  "POST /create": create,
  "POST /ping": ping,
  "POST /delete": remove,
  "POST /delete_session": remove,
};

/** Endpoints that need no key. */
const OPEN_ENDPOINTS: Endpoints = { "GET /health": () => ({ status: "ok" }) };

const ENVIRONMENT_ENDPOINTS: Endpoints = {
  "GET /splits": ({ hosted }) => listSplits(hosted.definition),
  "GET /tools": ({ hosted }) => hosted.toolList,
  "POST /tasks": listTasks,
  "POST /num_tasks": countTasks,
  "POST /task": getTask,
  "POST /task_range": getTaskRange,
  "GET /prompt": getPrompt,
  "GET /messages": getMessages,
  "GET /task_tools": listTaskTools,
  "POST /call": call,
};

/** Names that environments may not use, because a single-segment path already has that meaning. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys({ ...OPEN_ENDPOINTS, ...ROOT_ENDPOINTS, ...ENVIRONMENT_ENDPOINTS }).map((route) =>
    route.slice(route.indexOf("/") + 1),
  ),
  "score_group",
]);

/** All paths with their handlers; an environment's paths exist with and without its name. */
export function environmentRoutes(
  environments: readonly [HostedEnvironment, ...HostedEnvironment[]],
  context: Pick<RequestContext, "sessions" | "clock">,
): { readonly routes: Routes; readonly openRoutes: Routes } {
  const at = (prefix: string, endpoints: Endpoints): Routes =>
    Object.fromEntries(
      Object.entries(endpoints).map(([route, handle]) => [
        route.replace("/", `${prefix}/`),
        async (request) => {
          const hosted = hostedOf(environments, request);
          const reply = await handle({ ...context, request, environments, hosted });
          return isStream(reply) ? reply : jsonReply(reply);
        },
      ]),
    );
  return {
    openRoutes: at("", OPEN_ENDPOINTS),
    routes: {
      ...at("", ROOT_ENDPOINTS),
      ...at("", ENVIRONMENT_ENDPOINTS),
      ...at("/{environment}", ENVIRONMENT_ENDPOINTS),
    },
  };
}

function isStream(reply: Json | StreamedReply): reply is StreamedReply {
  return (
    typeof reply === "object" &&
    reply !== null &&
    "stream" in reply &&
    typeof reply.stream === "function"
  );
}

/** The environment in the path. Bare paths use `X-Deployment`, in full or after its slash, or else the first environment. */
function hostedOf(
  environments: readonly [HostedEnvironment, ...HostedEnvironment[]],
  { params, header }: ServiceRequest,
): HostedEnvironment {
  const { environment } = params;
  if (environment !== undefined) return findEnvironment(environments, environment);
  const name = header("x-deployment").split("/").at(-1)?.toLowerCase();
  return environments.find(({ definition }) => definition.name === name) ?? environments[0];
}
