/**
 * How many sessions of one environment are open at once: as many as the configuration allows, fewer when the environment says it is
 * full, and slowly more again (training-loop rule C.3).
 */

import { AppError, isAppError } from "../errors.ts";
import type {
  EnvironmentSession,
  OpenOptions,
  RemoteEnvironment,
  TaskChoice,
} from "../openreward/contract.ts";
import type { Clock, Random } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";
import { isServiceFault } from "./faults.ts";

export interface GateParts {
  readonly remote: RemoteEnvironment;
  readonly clock: Clock;
  readonly random: Random;
  /** Most sessions at once; Infinity leaves it to the limit over all environments. */
  readonly maxSessions: number;
}

/** What an environment did to the run's wish for sessions, for the metrics. */
export interface CapacityFacts {
  readonly limit: number;
  readonly rejections: number;
  readonly waitS: number;
}

export interface OpenedSession {
  readonly session: EnvironmentSession;
  /** Closes the session and gives its place back. */
  readonly close: () => Promise<void>;
}

/** At most one reduction in this time: refusals come in swarms. */
const SHRINK_INTERVAL_MS = 5_000;
const GROW_AFTER_MS = 10_000;
const WAIT_BASE_MS = 1_000;
const WAIT_CAP_MS = 60_000;
/** With no session open and none to be had for this long, the run gives up. */
const GIVE_UP_MS = 30 * 60_000;
/** Stands for "no limit of its own" in the limiter. */
const UNBOUNDED = 1_000_000;

export class EnvironmentGate {
  readonly #parts: GateParts;
  readonly #limiter: Limiter;
  #ceiling: number;
  #open = 0;
  /** Open ones that are not being closed. */
  #inUse = 0;
  #isFailing = false;
  #rejections = 0;
  #waitMs = 0;
  #cleanStarts = 0;
  #lastShrinkMs = Number.NEGATIVE_INFINITY;
  #lastRejectionMs = Number.NEGATIVE_INFINITY;
  /** When refusals began without any session being opened since; null = all is well. */
  #refusedSinceMs: number | null = null;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#ceiling = Math.min(parts.maxSessions, UNBOUNDED);
    this.#limiter = new Limiter(this.#ceiling);
  }

  /** Counts since the run began; `limit` is what holds now, never more than the sessions asked for. */
  get facts(): CapacityFacts {
    return {
      limit: this.#limiter.limit,
      rejections: this.#rejections,
      waitS: this.#waitMs / 1000,
    };
  }

  /** True while no session can be had: the last try to open one failed for the service's sake, and none is in use. */
  get isOutOfReach(): boolean {
    return this.#isFailing && this.#inUse === 0;
  }

  /** Changes how many sessions the configuration allows at once; open ones are left alone. */
  allow(maxSessions: number): void {
    const before = this.#ceiling;
    this.#ceiling = Math.min(maxSessions, UNBOUNDED);
    // A limit that refusals have lowered rises by itself, slowly.
    const isOwnLimit = this.#limiter.limit === before;
    if (isOwnLimit || this.#limiter.limit > this.#ceiling) this.#limiter.resize(this.#ceiling);
  }

  /**
   * Opens a session, waiting for as long as the environment is full.
   * @throws AppError `run-capacity` when it stays full with none of our sessions open; `environment-*`
   */
  async open(
    choice: TaskChoice,
    signal: AbortSignal,
    limits: Pick<OpenOptions, "answerLimitMs"> = {},
  ): Promise<OpenedSession> {
    let release = await this.#limiter.acquire({ signal });
    for (let refusals = 1; ; refusals += 1) {
      try {
        const session = await this.#parts.remote.openSession(choice, { ...limits, signal });
        this.#opened();
        return { session, close: () => this.#close(session, release) };
      } catch (error) {
        release();
        this.#isFailing = isAppError(error) && isServiceFault(error.code);
        if (!isAppError(error, "environment-capacity")) throw error;
        this.#refused(error);
        await this.#wait(error, refusals, signal);
        // Its turn had come: it stays in front of those that have not asked yet.
        release = await this.#limiter.acquire({ atHead: true, signal });
      }
    }
  }

  #opened(): void {
    this.#open += 1;
    this.#inUse += 1;
    this.#isFailing = false;
    this.#cleanStarts += 1;
    this.#refusedSinceMs = null;
    const { limit } = this.#limiter;
    const isQuiet = this.#parts.clock.monotonic() - this.#lastRejectionMs >= GROW_AFTER_MS;
    if (limit >= this.#ceiling || this.#cleanStarts < limit || !isQuiet) return;
    this.#cleanStarts = 0;
    this.#limiter.resize(limit + 1);
  }

  #refused(error: AppError): void {
    const now = this.#parts.clock.monotonic();
    this.#rejections += 1;
    this.#cleanStarts = 0;
    this.#lastRejectionMs = now;
    this.#refusedSinceMs ??= now;
    if (this.#open === 0 && now - this.#refusedSinceMs > GIVE_UP_MS) throw this.#giveUp(error);
    if (now - this.#lastShrinkMs < SHRINK_INTERVAL_MS) return;
    this.#lastShrinkMs = now;
    // Half of what was asked for at once, but not less than what is open and evidently fits.
    const used = this.#limiter.active + 1;
    this.#limiter.resize(Math.max(1, this.#open, Math.floor(used / 2)));
  }

  #giveUp(cause: AppError): AppError {
    const { name } = this.#parts.remote;
    return new AppError(
      "run-capacity",
      `${name} has had no room for a single session for ${GIVE_UP_MS / 60_000} minutes. The run is saved. Lower max_active_tasks or environments.${name}.max_concurrency, or ask the environment's owner for more capacity, then resume.`,
      { cause, configPath: `environments.${name}.max_concurrency` },
    );
  }

  async #wait(error: AppError, refusals: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    const asked = error.data["retryAfterMs"];
    const backoffMs = Math.min(WAIT_BASE_MS * 2 ** (refusals - 1), WAIT_CAP_MS);
    const waitMs = typeof asked === "number" ? asked : backoffMs * (1 - 0.25 * random.uniform());
    this.#waitMs += waitMs;
    await clock.sleep(waitMs, signal);
  }

  async #close(session: EnvironmentSession, release: () => void): Promise<void> {
    this.#inUse -= 1;
    try {
      await session.close();
    } finally {
      this.#open -= 1;
      release();
    }
  }
}
