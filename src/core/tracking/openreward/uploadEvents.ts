/** Converts a rollout into events of OpenReward's upload, and events into requests: `docs/protocols/openreward.md#uploads`. */

import { AppError } from "../../errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";

/** One message of a rollout; only a `reasoning` message may have a reference or a summary. */
export interface UploadMessage {
  readonly type:
    | "system_message"
    | "user_message"
    | "assistant_message"
    | "reasoning"
    | "tool_call"
    | "tool_result";
  readonly content?: string;
  readonly contentReference?: string;
  readonly summary?: string;
  /** The tool's name, for a call, whose content is its arguments as JSON text. */
  readonly name?: string;
  readonly callId?: string;
  /** Absent or null = no reward, which differs from 0. */
  readonly reward?: number | null;
  readonly isFinished?: boolean;
  readonly metadata?: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
}

/** A complete rollout to upload. Keys of the open objects are wire names. */
export interface RolloutUpload {
  /** A UUID, like the message ids; identical on every upload attempt. */
  readonly id: string;
  readonly messageId: (index: number) => string;
  readonly runName: string;
  readonly rolloutName: string;
  readonly environment: string;
  readonly variant?: string | undefined;
  readonly split: string;
  readonly taskSpec?: Json;
  readonly metadata: JsonObject;
  readonly runInfo: JsonObject;
  /** Sent last; null = none. */
  readonly rolloutInfo: JsonObject | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly messages: readonly UploadMessage[];
}

/** The catalogue's ids of an environment; absent if unknown. */
export interface CatalogueIds {
  readonly environment_id?: string;
  readonly variant_id?: string | undefined;
}

export interface UploadEvent {
  readonly kind: "start" | "message" | "update";
  /** Index among the messages; null for other events. */
  readonly index: number | null;
  readonly json: string;
  /** Size of `json` as UTF-8. */
  readonly bytes: number;
}

/** Below the official client's own limits of 128 events and one megabyte. */
const MAX_EVENTS = 100;
const MAX_BYTES = 900_000;

/** The start, the messages in order, then the update. @throws AppError `upload-message` like {@link requireUploadable} */
export function uploadEvents(rollout: RolloutUpload, ids: CatalogueIds): readonly UploadEvent[] {
  const { id, rolloutInfo, endedAtMs } = rollout;
  const update = { eventId: id, timestamp: endedAtMs, rollout_info: rolloutInfo };
  return [
    eventOf("start", null, { eventType: "rollout", ...startOf(rollout, ids) }),
    ...rollout.messages.map((message, index) =>
      eventOf("message", index, {
        eventType: "message",
        ...messageOf(rollout, message, index),
        environment_id: ids.environment_id ?? null,
      }),
    ),
    ...(rolloutInfo === null
      ? []
      : [eventOf("update", null, { eventType: "rollout_update", ...update })]),
  ];
}

/** Mirrors a check of the official client. @throws AppError `upload-message` for a tool call without name or arguments */
export function requireUploadable({ type, name, content }: UploadMessage): void {
  if (type !== "tool_call") return;
  if ((name ?? "").trim() !== "" && (content ?? "").trim() !== "") return;
  throw new AppError("upload-message", "A tool call is uploaded with a name and arguments only.");
}

/**
 * Groups events into requests: the start alone, then the others in order, as many per request as fit. The update goes with the
 * last message, so that a service which has the last message also has the update.
 */
export function uploadBatches(events: readonly UploadEvent[]): readonly (readonly UploadEvent[])[] {
  const batches: UploadEvent[][] = [];
  let bytes = 0;
  let isOpen = false;
  for (const event of events) {
    const last = batches.at(-1);
    const hasRoom = (last?.length ?? 0) < MAX_EVENTS && bytes + event.bytes <= MAX_BYTES;
    const belongs = event.kind === "update" || (event.kind === "message" && hasRoom);
    if (isOpen && last !== undefined && belongs) {
      last.push(event);
      bytes += event.bytes;
    } else {
      batches.push([event]);
      bytes = event.bytes;
    }
    isOpen = event.kind !== "start";
  }
  return batches;
}

function startOf(rollout: RolloutUpload, ids: CatalogueIds): JsonObject {
  return {
    eventId: rollout.id,
    timestamp: rollout.startedAtMs,
    runName: rollout.runName,
    rolloutName: rollout.rolloutName,
    environment: rollout.environment,
    environment_id: ids.environment_id ?? null,
    variant: rollout.variant ?? null,
    variant_id: ids.variant_id ?? null,
    split: rollout.split,
    task_spec: rollout.taskSpec ?? null,
    metadata: rollout.metadata,
    run_info: rollout.runInfo,
  };
}

function messageOf(rollout: RolloutUpload, message: UploadMessage, index: number): JsonObject {
  requireUploadable(message);
  const isReasoning = message.type === "reasoning";
  return {
    eventId: rollout.messageId(index),
    rolloutEventId: rollout.id,
    timestamp: message.timestampMs,
    index,
    type: message.type,
    content: message.content ?? null,
    contentReference: isReasoning ? (message.contentReference ?? null) : null,
    summary: isReasoning ? (message.summary ?? null) : null,
    name: message.name ?? null,
    callId: message.callId ?? null,
    reward: message.reward ?? null,
    isFinished: message.isFinished ?? false,
    metadata: message.metadata ?? {},
  };
}

function eventOf(kind: UploadEvent["kind"], index: number | null, event: JsonObject): UploadEvent {
  const json = JSON.stringify(wireForm(event));
  return { kind, index, json, bytes: new TextEncoder().encode(json).length };
}

/** Removes nulls from objects, like the official client, and characters that databases reject. */
function wireForm(value: Json): Json {
  if (typeof value === "string") return plainText(value);
  if (isJsonObject(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== null);
    return Object.fromEntries(entries.map(([key, item]) => [plainText(key), wireForm(item)]));
  }
  return Array.isArray(value) ? value.map((item: Json) => wireForm(item)) : value;
}

/** Removes NUL and replaces lone surrogates with U+FFFD. */
function plainText(text: string): string {
  return text.replaceAll("\u0000", "").replace(/\p{Surrogate}/gu, "\uFFFD");
}
