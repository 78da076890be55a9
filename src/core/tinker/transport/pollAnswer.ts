/** Interprets the answer to a poll: `docs/protocols/tinker.md#futures`. */

import { isJsonObject, type JsonObject } from "../../json.ts";
import type { HttpResponse } from "../../ports.ts";
import { requestFailed, statusError, tinkerError } from "./errors.ts";
import { protobufType } from "./exchange.ts";

export type FutureResult =
  | { readonly kind: "proto"; readonly bytes: Uint8Array }
  | { readonly kind: "json"; readonly value: JsonObject };

export type Poll =
  | { readonly kind: "done"; readonly result: FutureResult }
  | { readonly kind: "pending"; readonly state: string; readonly reason: string | null }
  /** The result is ready, and so large that the server announces its size first. */
  | { readonly kind: "size-notice"; readonly bytes: number }
  /** The server holds the poll for longer than this client waits, but answers other requests. */
  | { readonly kind: "held" }
  | { readonly kind: "server-error"; readonly cause: string }
  | { readonly kind: "no-answer"; readonly cause: string }
  | { readonly kind: "bad-request"; readonly text: string }
  | { readonly kind: "billing"; readonly text: string };

/**
 * `what` names the operation in errors.
 * @throws AppError `tinker-request-failed` for a failed operation, `tinker-protocol`, and by status for faults that polling again
 * would not fix
 */
export async function readPollAnswer(response: HttpResponse, what: string): Promise<Poll> {
  const { status } = response;
  if (status === 200) return await readOk(response, what);
  const text = await response.text();
  if (status === 408) return pending(parseObject(text) ?? {});
  if (status >= 500) return { kind: "server-error", cause: `status ${status}` };
  if (status === 429) return { kind: "no-answer", cause: "status 429" };
  if (status === 402) return { kind: "billing", text };
  if (status === 400) {
    // The service's own 400 has a content length; a proxy's does not.
    return Number(response.header("content-length")) > 0
      ? { kind: "bad-request", text }
      : { kind: "no-answer", cause: "status 400 without a length" };
  }
  throw statusError({ status, text, what, attempts: 1 });
}

async function readOk(response: HttpResponse, what: string): Promise<Poll> {
  if (response.header("content-type")?.includes(protobufType)) {
    return { kind: "done", result: { kind: "proto", bytes: await response.bytes() } };
  }
  const body = parseObject(await response.text());
  if (body === null) {
    throw tinkerError("tinker-protocol", `The result of ${what} is not a JSON object`);
  }
  if (body["type"] === "try_again") return pending(body);
  if (body["status"] === "complete_metadata") {
    const { response_payload_size: bytes } = body;
    return { kind: "size-notice", bytes: typeof bytes === "number" && bytes > 0 ? bytes : 0 };
  }
  if ("error" in body) throw requestFailed(what, String(body["error"]), body["category"]);
  return { kind: "done", result: { kind: "json", value: body } };
}

function pending(body: JsonObject): Poll {
  const { queue_state: state, queue_state_reason: reason } = body;
  return {
    kind: "pending",
    state: typeof state === "string" ? state : "active",
    reason: typeof reason === "string" ? reason : null,
  };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
