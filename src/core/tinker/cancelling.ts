/** Cancels results at the service that nothing waits for anymore. */

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
  /** Aborted when the session is closed, which ends all of its work anyway. */
  readonly signal: AbortSignal;
}

const dynamicTimeoutMs = 10_000;
const cancelTimeoutMs = 30_000;
const minRefreshMs = 10_000;

/** The server's flags are read on first use and again once they are stale: `docs/protocols/tinker.md#flags`. */
export class Canceller {
  readonly #options: CancellerOptions;
  readonly #slots = new Limiter(1);
  #config: Promise<DynamicConfig> | null = null;
  #staleAtMs = 0;

  constructor(options: CancellerOptions) {
    this.#options = options;
  }

  /** Returns immediately; failures are only logged. Does nothing if the server does not support canceling. */
  cancel(requestId: string): void {
    const { log, signal } = this.#options;
    if (signal.aborted) return;
    this.#cancel(requestId).catch((error: unknown) => {
      if (signal.aborted) return;
      log.warn("Tinker: a sample could not be canceled", { reason: errorMessage(error) });
    });
  }

  async #cancel(requestId: string): Promise<void> {
    const { tinker, signal } = this.#options;
    const flags = await this.#current();
    if (!flags.sample_cancel_enabled) return;
    this.#slots.resize(flags.sample_cancel_max_batch_size);
    const body = { request_id: requestId };
    const request = { method: "POST", path: "cancel_future", body } as const;
    await this.#slots.run(() => tinker.run({ ...request, timeoutMs: cancelTimeoutMs, signal }), {
      signal,
    });
  }

  async #current(): Promise<DynamicConfig> {
    const { clock } = this.#options;
    if (this.#config === null || clock.monotonic() >= this.#staleAtMs) {
      this.#staleAtMs = Number.POSITIVE_INFINITY;
      this.#config = readDynamicConfig(this.#options);
      const { refresh_interval_sec: refreshS } = await this.#config;
      this.#staleAtMs = clock.monotonic() + Math.max(refreshS * 1000, minRefreshMs);
    }
    return await this.#config;
  }
}

/** Falls back to the defaults if the server does not answer. */
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
