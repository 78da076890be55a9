/**
 * The requests that create and free a session: `/create_session`, `/create`, `/delete`, `/delete_session`; see
 * `docs/protocols/openreward.md#sessions`.
 */

import * as z from "zod";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { withLimit } from "../util/abort.ts";
import { environmentFault, protocolFault, readDetail } from "./faults.ts";
import { createReply } from "./replies.ts";
import { encodeSecrets } from "./secrets.ts";
import { runStreamedJob } from "./streamedJob.ts";
import type { TaskChoice } from "./types.ts";
import type { EnvironmentWire, RepeatRule, WireRequest } from "./wire.ts";

const RELEASE_LIMIT_MS = 15_000;

const sessionReply = z.object({ sid: z.string().optional() });

/** How the requests wait: until when, and with what to pause the timer while the environment is starting. */
export type StepWaits = Pick<RepeatRule, "signal" | "withTimerPaused">;

/** Reserves a session id and frees announced ids that were not completed. @throws AppError `environment-setting` for `session_env` */
export async function reserveSession(
  wire: EnvironmentWire,
  secrets: NonNullable<TaskChoice["secrets"]>,
  { signal, withTimerPaused }: StepWaits,
): Promise<string> {
  const env = sessionEnv(wire.session.env, secrets);
  const hasEnv = Object.keys(env).length > 0;
  const request = {
    method: "POST",
    path: "/create_session",
    sid: null,
    isInSession: false,
    body: hasEnv ? { env } : {},
    secrets: secretsHeader(wire, secrets),
  } as const;
  const announced = new Set<string>();
  try {
    const { taskId, text } = await runStreamedJob(wire, {
      request,
      isRepeatable: true,
      onTaskId: (id) => announced.add(id),
      signal,
      withTimerPaused,
      // Once the server has accepted the request, it is starting the environment.
      whileRunning: withTimerPaused,
    });
    const sid = (text === "" ? null : wire.parse(request, text, sessionReply).sid) ?? taskId;
    if (sid === null)
      throw protocolFault(wire.locationOf(request), "the server gave no session id");
    // Any remaining ids belong to broken attempts that were not resumed.
    for (const id of [sid, taskId]) if (id !== null) announced.delete(id);
    return sid;
  } catch (error) {
    const isRefused = isAppError(error, "environment-protocol") && error.data["status"] === 400;
    if (!isRefused || !hasEnv) throw error;
    throw settingFault(wire, "session_env", Object.keys(env).join(", "), error);
  } finally {
    for (const sid of announced) await releaseSession(wire, sid, { isCreated: false });
  }
}

/** The variables with their values; those whose secret is not sent are left out, as in queries before a session. */
function sessionEnv(
  env: EnvironmentWire["session"]["env"],
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, written]) => {
      const value = written ?? secrets[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Starts the episode of a task under a reserved id. @throws AppError `environment-setting` for `toolset_name` */
export async function createEpisode(
  wire: EnvironmentWire,
  options: {
    readonly sid: string;
    readonly task: TaskChoice;
    readonly secrets: string | null;
    /** True for servers that only read secrets from the body. */
    readonly sendsSecretsInBody: boolean;
    readonly waits: StepWaits;
  },
): Promise<void> {
  const { sid, task, secrets, sendsSecretsInBody, waits } = options;
  const { envName } = wire.target;
  const { toolsetName } = wire.session;
  const body: JsonObject = withoutUndefined({
    split: task.split,
    index: task.index,
    env_name: envName ?? undefined,
    toolset_name: toolsetName ?? undefined,
    secrets: sendsSecretsInBody ? (task.secrets ?? {}) : undefined,
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
  // A server of the other dialect rejects the body key that only this dialect knows.
  const isDialectRefused = reply.status === 422 && sendsSecretsInBody;
  const decisive = isDialectRefused
    ? await wire.sendWithRetries({ ...request, body: bodyOfAnyDialect }, rule)
    : reply;
  const { status, text } = decisive;
  if (status === 200) {
    wire.parse(request, text, createReply);
    return;
  }
  // The first attempt had worked, but its reply was lost.
  const hasWorkedBefore = decisive.isRepeat && status === 400;
  if (hasWorkedBefore && readDetail(text).includes("Session already exists")) return;
  const fault = wire.fault(request, decisive, text);
  const isToolset = status === 400 || status === 422;
  if (toolsetName === null || !isToolset || !/toolset|sandbox/i.test(text)) throw fault;
  throw settingFault(wire, "toolset_name", toolsetName, fault);
}

/** The error for a configured setting that the server refuses. */
function settingFault(
  wire: EnvironmentWire,
  key: "toolset_name" | "session_env",
  value: string,
  cause: AppError,
): AppError {
  const { name } = wire.target;
  const path = `environments.${name}.${key}`;
  return new AppError(
    "environment-setting",
    `The server of ${name} refuses ${key} ${value}: ${String(cause.data["detail"])}. Change or remove ${path}.`,
    { cause, data: cause.data, configPath: path },
  );
}

/** The `X-Secrets` header; includes the user's key only for OpenReward's own environments. */
export function secretsHeader(
  wire: EnvironmentWire,
  secrets: Readonly<Record<string, string>>,
): string | null {
  return encodeSecrets(secrets, wire.target.isOpenReward ? wire.dependencies.apiKey : null);
}

/** True for a server of the `ors-sdk` dialect, which lacks `/version`: `docs/protocols/openreward.md#dialects`. */
export async function lacksVersion(wire: EnvironmentWire, waits: StepWaits): Promise<boolean> {
  const request: WireRequest = { method: "GET", path: "/version", sid: null, isInSession: false };
  const { status } = await wire.sendWithRetries(request, { repeat: "always", ...waits });
  return status === 404;
}

/** Ends the episode and frees the id within 15 s; errors are only logged. */
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
