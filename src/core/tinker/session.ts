/** One session at the service: created on first use, kept alive by heartbeats, finished once. Numbers its models and samplers. */

import { errorMessage } from "../errors.ts";
import type { Clock, Log } from "../ports.ts";
import { tinkerError } from "./transport/errors.ts";
import type { TinkerHttp } from "./transport/http.ts";
import type { OnServerMessage } from "./transport/serverMessage.ts";
import { createSessionSchema } from "./wire/wire.ts";

export interface SessionOptions {
  readonly tinker: TinkerHttp;
  readonly clock: Clock;
  readonly log: Log;
  /** Body of the request that creates the session. */
  readonly body: object;
  readonly onMessage?: OnServerMessage | undefined;
  /** True = creating the session waits for an unpaid bill. */
  readonly waitsForBills: boolean;
}

export type FinishReason = "success" | "errored" | "interrupted";

const heartbeatPeriodMs = 10_000;
const heartbeatTimeoutMs = 10_000;
const silenceWarningMs = 120_000;
const finishBudgetMs = 5_000;

export class TinkerSession {
  readonly #options: SessionOptions;
  readonly #closing = new AbortController();
  #id: Promise<string> | null = null;
  #isEnded = false;
  #models = 0;
  #samplers = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Aborted when this program closes the session. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * The session's id; the first call creates the session and starts the heartbeats.
   * @throws AppError `tinker-expired` if the session is over
   */
  async id(): Promise<string> {
    this.check();
    this.#id ??= this.#create();
    const created = this.#id;
    try {
      return await created;
    } catch (error) {
      if (this.#id === created) this.#id = null;
      throw error;
    }
  }

  /** @throws AppError `tinker-expired` if the session is over */
  check(): void {
    if (this.#isEnded) throw tinkerError("tinker-expired", "Tinker has ended the session");
    if (this.signal.aborted) throw tinkerError("tinker-expired", "The Tinker session is closed");
  }

  /** Numbers start at 0; created and loaded models share the sequence. */
  reserveModelNumber(): number {
    return this.#models++;
  }

  /** Numbers start at 0; ephemeral saves and sampling sessions share the sequence. */
  reserveSamplerNumber(): number {
    return this.#samplers++;
  }

  /** Stops heartbeats and open polls, but leaves the session open at the service. */
  close(): void {
    this.#closing.abort();
  }

  /** Closes the session and sends the service the reason; a failure to send is only logged. */
  async finish(reason: FinishReason, detail: string | null): Promise<void> {
    const { tinker, log } = this.#options;
    const created = this.#id;
    const isFirst = !this.signal.aborted;
    this.close();
    if (created === null || !isFirst || this.#isEnded) return;
    try {
      await tinker.run(
        {
          method: "POST",
          path: `sessions/${await created}/finish`,
          body: { reason: { type: reason }, detail },
          timeoutMs: finishBudgetMs,
          // The service accepts this even while it accepts no work.
          kind: "heartbeat",
        },
        { budgetMs: finishBudgetMs },
      );
    } catch (error) {
      log.warn("Tinker: the session could not be finished", { reason: errorMessage(error) });
    }
  }

  async #create(): Promise<string> {
    const { tinker, log, body, onMessage, waitsForBills } = this.#options;
    const session = await tinker.call(
      { method: "POST", path: "create_session", body, signal: this.signal },
      createSessionSchema,
      { waitsForBills },
    );
    const { info_message: info, warning_message: warning, error_message: error } = session;
    if (info !== null) onMessage?.({ level: "info", text: info });
    for (const text of [warning, error]) if (text !== null) onMessage?.({ level: "warn", text });
    this.#keepAlive(session.session_id).catch((error: unknown) => {
      if (!this.signal.aborted) {
        log.error("Tinker: heartbeats stopped", { reason: errorMessage(error) });
      }
    });
    return session.session_id;
  }

  /** Sends a heartbeat every 10 s without retries. Failures are ignored; 410 ends the session: `docs/protocols/tinker.md#sessions`. */
  async #keepAlive(id: string): Promise<void> {
    const { clock, log } = this.#options;
    let lastSuccessMs = clock.monotonic();
    let lastBeatMs = lastSuccessMs;
    while (!this.#isEnded) {
      const spentMs = clock.monotonic() - lastBeatMs;
      await clock.sleep(Math.max(0, heartbeatPeriodMs - spentMs), this.signal);
      lastBeatMs = clock.monotonic();
      const problem = await this.#beat(id);
      if (problem === null) {
        lastSuccessMs = clock.monotonic();
      } else if (clock.monotonic() - lastSuccessMs >= silenceWarningMs) {
        log.warn("Tinker: no heartbeat has been answered for two minutes", { problem });
      }
    }
  }

  /** Null on success, else the problem. */
  async #beat(id: string): Promise<string | null> {
    const { tinker, log } = this.#options;
    try {
      const response = await tinker.send({
        method: "POST",
        path: "session_heartbeat",
        body: { session_id: id, type: "session_heartbeat" },
        timeoutMs: heartbeatTimeoutMs,
        kind: "heartbeat",
        signal: this.signal,
      });
      await response.text();
      if (response.status === 410) {
        this.#isEnded = true;
        log.error("Tinker: the service has ended the session; no further work is accepted");
      }
      return response.status < 300 ? null : `status ${response.status}`;
    } catch (error) {
      return errorMessage(error);
    }
  }
}
