/** Turns an error into what an editor can act on: the settings, keys, and permissions that it names. */

import { type AppError, errorMessage, isAppError } from "../../core/errors.ts";
import { suggestedEdits } from "../../node/control/messages.ts";
import type { LaunchError } from "../../shared/control.ts";

/** `error` must already be redacted. */
export function launchError(error: unknown): LaunchError {
  const message = errorMessage(error);
  if (!isAppError(error)) return { code: "bug", message };
  const { key, host, name } = error.data;
  const edits = suggestedEdits.safeParse(error.data["edits"]).data;
  // A name may contain dots itself.
  const keys = edits?.[0]?.path ?? keysAtFault(error);
  return {
    code: error.code,
    message,
    key: typeof key === "string" ? key : undefined,
    host: typeof host === "string" ? host : undefined,
    name: typeof name === "string" ? name : undefined,
    keys: keys ?? undefined,
    edits,
  };
}

function keysAtFault({ code, data, configPath }: AppError): readonly string[] | null {
  const { environment } = data;
  if (code === "environment-not-found" && typeof environment === "string") {
    return ["environments", environment];
  }
  return configPath?.split(".") ?? null;
}
