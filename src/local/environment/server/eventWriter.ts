/** Writes server-sent events: event framing, and results in chunks. */

import type { ServerResponse } from "node:http";
import type { Clock } from "../../../core/ports.ts";
import type { StreamedReply } from "../../http/reply.ts";

/** Maximum characters per chunk: `docs/protocols/openreward.md#streams`. */
export const MAX_PIECE_CHARS = 4096;

const COMMENT_INTERVAL_MS = 10_000;
const ESCAPED_SPACE = "\\u0020";

/** The end of a streamed request: JSON text, or an error message. */
export type StreamOutcome =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "error"; readonly message: string };

/** Compact ASCII-only JSON, so that no cut splits a character. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Cuts ASCII JSON into chunks of at most `maxChars` that never start with white space, because the official clients strip it there.
 * Compact JSON has spaces only inside strings, where the escape is equivalent.
 */
export function cutPieces(json: string, maxChars: number = MAX_PIECE_CHARS): readonly string[] {
  const pieces: string[] = [];
  let position = 0;
  while (position < json.length) {
    const isSpace = json[position] === " ";
    const end = position + maxChars - (isSpace ? ESCAPED_SPACE.length - 1 : 0);
    const piece = json.slice(position, end);
    pieces.push(isSpace ? ESCAPED_SPACE + piece.slice(1) : piece);
    position = end;
  }
  return pieces.length === 0 ? [""] : pieces;
}

/** One SSE event; every line of `data` gets its own `data:` field. */
export function formatEvent(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join("")}\n`;
}

/** Replies with a stream. The work behind `outcome` continues even if the client disconnects. */
export function outcomeStream(
  clock: Clock,
  taskId: string | null,
  outcome: Promise<StreamOutcome>,
): StreamedReply {
  return { stream: (response) => streamOutcome(response, clock, taskId, outcome) };
}

/** `task_id` (unless null), a comment every 10 s while the outcome is pending, then the chunks or the error. */
async function streamOutcome(
  response: ServerResponse,
  clock: Clock,
  taskId: string | null,
  outcome: Promise<StreamOutcome>,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  if (taskId !== null) response.write(formatEvent("task_id", taskId));
  const settled = await awaitWithComments(response, clock, outcome);
  if (settled.kind === "error") {
    response.end(formatEvent("error", settled.message));
    return;
  }
  const pieces = cutPieces(settled.json);
  for (const piece of pieces.slice(0, -1)) response.write(formatEvent("chunk", piece));
  response.end(formatEvent("end", pieces.at(-1) ?? ""));
}

async function awaitWithComments(
  response: ServerResponse,
  clock: Clock,
  outcome: Promise<StreamOutcome>,
): Promise<StreamOutcome> {
  for (;;) {
    const timer = new AbortController();
    const tick = clock.sleep(COMMENT_INTERVAL_MS, timer.signal).then(
      () => null,
      () => null,
    );
    const settled = await Promise.race([outcome, tick]);
    timer.abort();
    if (settled !== null) return settled;
    response.write(`: ping - ${new Date(clock.now()).toISOString()}\n\n`);
  }
}
