/** Owns the steps that make and free a session: `/create_session`, `/create`, `/delete`, `/delete_session`; see `docs/protocols/openreward.md#sessions`. */

import * as z from "zod";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { errorMessage } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { withLimit } from "../util/abort.ts";
import { environmentFault, protocolFault, readDetail } from "./faults.ts";
import { createReply } from "./replies.ts";
import { encodeSecrets, plainSecrets } from "./secrets.ts";
import { runStreamedJob } from "./streamedJob.ts";
import type { SecretValue, TaskChoice } from "./types.ts";
import type { EnvironmentWire, RepeatRule, WireRequest } from "./wire.ts";

const RELEASE_LIMIT_MS = 15_000;

const sessionReply = z.object({ sid: z.string().optional() });

/** How the steps wait: until when, and what keeps the time while the environment is still starting. */
export type StepWaits = Pick<RepeatRule, "signal" | "withTimerPaused">;

/** Reserves a session id; one that was announced but not completed is freed. */
export async function reserveSession(
  wire: EnvironmentWire,
  secrets: string | null,
  { signal, withTimerPaused }: StepWaits,
): Promise<string> {
  const request = {
    method: "POST",
    path: "/create_session",
    sid: null,
    isInSession: false,
    body: {},
    secrets,
  } as const;
  const announced = new Set<string>();
  try {
    const { taskId, text } = await runStreamedJob(wire, {
      request,
      isRepeatable: true,
      throwsCapacity: true,
      onTaskId: (id) => announced.add(id),
      signal,
      withTimerPaused,
      // Once the server has accepted the request, it is starting the environment.
      whileRunning: withTimerPaused,
    });
    const sid = (text === "" ? null : wire.parse(request, text, sessionReply).sid) ?? taskId;
    if (sid === null)
      throw protocolFault(wire.locationOf(request), "the server gave no session id");
    // The ids that remain belong to broken attempts that no repeat took up.
    for (const id of [sid, taskId]) if (id !== null) announced.delete(id);
    return sid;
  } finally {
    for (const sid of announced) await releaseSession(wire, sid, { isCreated: false });
  }
}

/** Starts the episode of a task under a reserved id. */
export async function createEpisode(
  wire: EnvironmentWire,
  options: {
    readonly sid: string;
    readonly task: TaskChoice;
    readonly secrets: string | null;
    /** True for servers that read secrets from the body only. */
    readonly sendsSecretsInBody: boolean;
    readonly waits: StepWaits;
  },
): Promise<void> {
  const { sid, task, secrets, sendsSecretsInBody, waits } = options;
  const { envName } = wire.target;
  const body: JsonObject = withoutUndefined({
    split: task.split,
    index: task.index,
    env_name: envName ?? undefined,
    secrets: sendsSecretsInBody ? plainSecrets(task.secrets ?? {}) : undefined,
  });
  const request: WireRequest = {
    method: "POST",
    path: "/create",
    sid,
    isInSession: false,
    body,
    secrets,
  };
  const { secrets: _, ...bodyOfAnyDialect } = body;
  const rule = { repeat: "always", ...waits } as const;
  const reply = await wire.sendWithRetries(request, rule);
  // A server of the other dialect refuses the key that only this one knows.
  const isDialectRefused = reply.status === 422 && sendsSecretsInBody;
  const decisive = isDialectRefused
    ? await wire.sendWithRetries({ ...request, body: bodyOfAnyDialect }, rule)
    : reply;
  const { status, text } = decisive;
  if (status === 200) {
    wire.parse(request, text, createReply);
    return;
  }
  // The answer to the first attempt was lost, but it had worked.
  const hasWorkedBefore = decisive.isRepeat && status === 400;
  if (hasWorkedBefore && readDetail(text).includes("Session already exists")) return;
  throw wire.fault(request, decisive, text);
}

/** `X-Secrets` for these secrets; the user's key is in it for OpenReward's own environments only. */
export function secretsHeader(
  wire: EnvironmentWire,
  secrets: Readonly<Record<string, SecretValue>>,
): string | null {
  return encodeSecrets(secrets, wire.target.isOpenReward ? wire.dependencies.apiKey : null);
}

/** True for a server of the `ors-sdk` dialect, which has no `/version`: `docs/protocols/openreward.md#dialects`. */
export async function lacksVersion(wire: EnvironmentWire, waits: StepWaits): Promise<boolean> {
  const request: WireRequest = { method: "GET", path: "/version", sid: null, isInSession: false };
  const { status } = await wire.sendWithRetries(request, { repeat: "always", ...waits });
  return status === 404;
}

/** Ends the episode and frees the id in at most 15 s; faults are logged only. */
export async function releaseSession(
  wire: EnvironmentWire,
  sid: string,
  options: { readonly isCreated: boolean },
): Promise<void> {
  const { clock, log } = wire.dependencies;
  const paths = options.isCreated ? ["/delete", "/delete_session"] : ["/delete_session"];
  const request = { method: "POST", sid, isInSession: true } as const;
  const onLimit = (): Error =>
    environmentFault(
      "environment-unavailable",
      wire.locationOf({ ...request, path: "/delete" }),
      "the session was not freed in 15 s. The server frees it later.",
    );
  await withLimit({ clock, limitMs: RELEASE_LIMIT_MS, onLimit }, async ({ signal }) => {
    for (const path of paths) {
      try {
        await wire.sendWithRetries({ ...request, path }, { repeat: "always", signal });
      } catch (error) {
        log.debug("environment session was not freed", { sid, path, error: errorMessage(error) });
      }
    }
  });
}
