/** Cancels results at the service that no one waits for any more. */

import { errorMessage } from "../errors.ts";
import type { Clock, Log } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";
import type { TinkerHttp } from "./transport/http.ts";
import { type DynamicConfig, dynamicConfigSchema } from "./wire/wire.ts";

export interface CancellerOptions {
  readonly tinker: TinkerHttp;
  readonly clock: Clock;
  readonly log: Log;
  readonly sdkVersion: string;
  /** Aborted when the session is closed, which ends all its work anyway. */
  readonly signal: AbortSignal;
}

export interface Canceller {
  /** Returns at once; a failure is logged only. Does nothing for servers that do not offer it. */
  cancel(requestId: string): void;
}

const dynamicTimeoutMs = 10_000;
const cancelTimeoutMs = 30_000;
const minRefreshMs = 10_000;

/** The server's flags are read when they are first needed, and again when they are old: `docs/protocols/tinker.md#flags`. */
export function createCanceller(options: CancellerOptions): Canceller {
  const { tinker, clock, log, signal } = options;
  const places = new Limiter(1);
  let config: Promise<DynamicConfig> | null = null;
  let staleAtMs = 0;

  async function current(): Promise<DynamicConfig> {
    if (config === null || clock.monotonic() >= staleAtMs) {
      staleAtMs = Number.POSITIVE_INFINITY;
      config = readDynamicConfig(options);
      const { refresh_interval_sec: refreshS } = await config;
      staleAtMs = clock.monotonic() + Math.max(refreshS * 1000, minRefreshMs);
    }
    return await config;
  }

  async function cancel(requestId: string): Promise<void> {
    const flags = await current();
    if (!flags.sample_cancel_enabled) return;
    places.resize(flags.sample_cancel_max_batch_size);
    await places.run(
      () =>
        tinker.run({
          method: "POST",
          path: "cancel_future",
          body: { request_id: requestId },
          timeoutMs: cancelTimeoutMs,
          signal,
        }),
      { signal },
    );
  }

  return {
    cancel: (requestId) => {
      if (signal.aborted) return;
      cancel(requestId).catch((error: unknown) => {
        if (signal.aborted) return;
        log.warn("Tinker: a sample could not be canceled", { reason: errorMessage(error) });
      });
    },
  };
}

/** The defaults where the server has no answer. */
async function readDynamicConfig(options: CancellerOptions): Promise<DynamicConfig> {
  const { tinker, log, sdkVersion, signal } = options;
  try {
    return await tinker.call(
      {
        method: "POST",
        path: "client/dynamic_config",
        body: { sdk_version: sdkVersion },
        timeoutMs: dynamicTimeoutMs,
        signal,
      },
      dynamicConfigSchema,
      { budgetMs: 0 },
    );
  } catch (error) {
    log.debug("Tinker: no dynamic configuration", { reason: errorMessage(error) });
    return dynamicConfigSchema.parse({});
  }
}
