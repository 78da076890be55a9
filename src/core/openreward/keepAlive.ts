/** Keeps a session alive: when to ping, and when missing replies mean that it is lost: `docs/protocols/openreward.md#keep-alive`. */

import { errorMessage } from "../errors.ts";
import { sleepUntilAborted } from "../util/wakeableSleep.ts";
import { isStarting } from "./retryPolicy.ts";
import type { EnvironmentWire, WireRequest } from "./wire.ts";

/** From the start of one ping to the start of the next. */
const PING_INTERVAL_MS = 10_000;
const PING_TIMEOUT_MS = 30_000;
const MAX_FAILURES = 5;
/** "Gone" replies needed; a gateway may send a single wrong one. */
const MAX_GONE_ANSWERS = 2;
const GONE_STATUSES: ReadonlySet<number> = new Set([404, 410]);

type PingAnswer = "alive" | "gone" | "failed";

/**
 * Pings a new session every 10 s until `signal` aborts or the session counts as lost: 5 failures or 2 "gone" replies in a row. Resolves
 * with the reason, or null when stopped; never rejects.
 */
export async function keepAlive(
  wire: EnvironmentWire,
  sid: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { clock } = wire.dependencies;
  let failures = 0;
  let goneAnswers = 0;
  let lastMs = clock.monotonic();
  for (;;) {
    await sleepUntilAborted(clock, lastMs + PING_INTERVAL_MS - clock.monotonic(), signal);
    if (signal.aborted) return null;
    lastMs = clock.monotonic();
    const answer = await ping(wire, sid, signal);
    if (signal.aborted) return null;
    failures = answer === "alive" ? 0 : failures + 1;
    goneAnswers = answer === "gone" ? goneAnswers + 1 : 0;
    if (goneAnswers >= MAX_GONE_ANSWERS) return "the server no longer knows it";
    if (failures >= MAX_FAILURES) return `${MAX_FAILURES} pings in a row failed`;
  }
}

/** Whether the server still has the session. */
export async function ping(
  wire: EnvironmentWire,
  sid: string,
  signal: AbortSignal | undefined,
): Promise<PingAnswer> {
  const request: WireRequest = {
    method: "POST",
    path: "/ping",
    sid,
    isInSession: true,
    timeoutMs: PING_TIMEOUT_MS,
  };
  try {
    const response = await wire.send(request, signal);
    await response.bytes();
    if (GONE_STATUSES.has(response.status)) return "gone";
    // Any other reply, except from a gateway, shows that a server has the session.
    return response.status < 500 || isStarting(response) ? "alive" : "failed";
  } catch (error) {
    wire.dependencies.log.debug("environment ping failed", { sid, error: errorMessage(error) });
    return "failed";
  }
}
