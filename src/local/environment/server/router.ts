/** The endpoints of the server, and the environment of a request: `docs/protocols/openreward.md#the-embedded-server`. */

import type { Json } from "../../../core/json.ts";
import { jsonReply, type StreamedReply } from "../../http/reply.ts";
import type { Handler as RequestHandler, Routes, ServiceRequest } from "../../http/router.ts";
import { findEnvironment, type HostedEnvironment, listSplits } from "./hostedEnvironment.ts";
import type { Endpoint, RequestContext } from "./requestContext.ts";
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

type Endpoints = Readonly<Record<string, Endpoint>>;

const ROOT_ENDPOINTS = {
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
} satisfies Endpoints;

const ENVIRONMENT_ENDPOINTS: Endpoints = {
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

/** Every path with its handler; an environment's are there with and without its name. */
export function environmentRoutes(
  environments: readonly [HostedEnvironment, ...HostedEnvironment[]],
  context: Pick<RequestContext, "sessions" | "clock">,
): { readonly routes: Routes; readonly openRoutes: Routes } {
  const handler =
    ({ handle }: Endpoint): RequestHandler =>
    async (request) => {
      const hosted = hostedOf(environments, request);
      const reply = await handle({ ...context, request, environments, hosted });
      return isStream(reply) ? reply : jsonReply(reply);
    };
  const at = (prefix: string, endpoints: Endpoints): [string, RequestHandler][] =>
    Object.entries(endpoints).map(([name, endpoint]) => [
      `${endpoint.method} ${prefix}/${name}`,
      handler(endpoint),
    ]);
  const { health, ...others } = ROOT_ENDPOINTS;
  return {
    openRoutes: Object.fromEntries(at("", { health })),
    routes: Object.fromEntries([
      ...at("", others),
      ...at("", ENVIRONMENT_ENDPOINTS),
      ...at("/{environment}", ENVIRONMENT_ENDPOINTS),
    ]),
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

/** The one that the path names. Bare paths go to the one that `X-Deployment` names, in full or after its slash; else to the first. */
function hostedOf(
  environments: readonly [HostedEnvironment, ...HostedEnvironment[]],
  { params, header }: ServiceRequest,
): HostedEnvironment {
  const { environment } = params;
  if (environment !== undefined) return findEnvironment(environments, environment);
  const name = header("x-deployment").split("/").at(-1)?.toLowerCase();
  return environments.find(({ definition }) => definition.name === name) ?? environments[0];
}
