/** Routes for creating, finishing, and listing sessions, and their heartbeat. */

import { readAs } from "../../../http/refusal.ts";
import { jsonReply } from "../../../http/reply.ts";
import { jsonBody, type Routes } from "../../../http/router.ts";
import { page } from "../http/paging.ts";
import type { ServiceSession } from "../models/sessions.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { createSession, sessionHeartbeat } from "../wire/schemas.ts";

const DEFAULT_LIMIT = 20;

export function sessionRoutes(options: ServiceContext): Routes {
  const { sessions } = options;
  return {
    "POST /create_session": (request) => {
      const { user_metadata, display_name } = readAs(createSession, jsonBody(request));
      const session = sessions.create({
        userMetadata: user_metadata ?? null,
        displayName: display_name ?? null,
      });
      return jsonReply({ type: "create_session", session_id: session.id });
    },
    "POST /session_heartbeat": (request) => {
      sessions.heartbeat(readAs(sessionHeartbeat, jsonBody(request)).session_id);
      return jsonReply({ type: "session_heartbeat" });
    },
    "POST /sessions/{session}/finish": async ({ params }) => {
      await release(options, sessions.finish(params["session"] ?? ""));
      return jsonReply({});
    },
    "GET /sessions": ({ query }) => {
      const { items } = page(sessions.list(), query, DEFAULT_LIMIT);
      return jsonReply({ sessions: items.map((session) => session.id) });
    },
    "GET /sessions/{session}": ({ params }) => {
      const session = sessions.get(params["session"] ?? "");
      return jsonReply({
        training_run_ids: [...session.modelIds],
        sampler_ids: [...session.samplerIds],
        user_metadata: session.userMetadata,
        display_name: session.displayName,
      });
    },
  };
}

/** Keeps results and checkpoints. */
async function release(
  { models, samplers }: ServiceContext,
  session: ServiceSession,
): Promise<void> {
  await Promise.all([...session.modelIds].map((id) => models.unload(id)));
  for (const id of session.samplerIds) samplers.release(id);
}
