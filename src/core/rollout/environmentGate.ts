/**
 * Guards the sessions of one environment: lets in as many as the environment has room for, none while the environment fails, and decides
 * whether the environment or the rollout caused a fault.
 */

import { type AppError, isAppError } from "../errors.ts";
import type {
  EnvironmentSession,
  OpenOptions,
  RemoteEnvironment,
  TaskChoice,
} from "../openreward/contract.ts";
import { type PausedWhile, unpaused } from "../util/pausedWhile.ts";
import { Circuit } from "./circuit.ts";
import { Doubts } from "./doubts.ts";
import { isBadOpening, isEnvironmentFault, isRefusal, isServiceFault } from "./faults.ts";
import { Room, type RoomFacts, type AdaptiveSessionLimitOptions } from "./room.ts";

export interface EnvironmentGateOptions extends AdaptiveSessionLimitOptions {
  readonly remote: RemoteEnvironment;
}

export interface GateFacts extends RoomFacts {
  /** How often the circuit opened: so many attempts failed that others were held back. */
  readonly failures: number;
}

/** Why no session can be had at the moment. */
export interface Blockage {
  /** `failing`: attempts fail because of the environment. `full`: the environment has no room for a single session. */
  readonly why: "failing" | "full";
  /** On the monotonic clock. */
  readonly sinceMs: number;
  readonly fault: AppError;
}

export type GateNews =
  | { readonly kind: "blocked"; readonly blockage: Blockage }
  /** `isAcquitted`: the environment answers queries while attempts fail, so from now on a failing attempt counts as the rollout's own fault. */
  | { readonly kind: "free"; readonly blockage: Blockage; readonly isAcquitted: boolean }
  /** Refusals have lowered, or their absence has raised, the number of sessions that are requested at once. */
  | { readonly kind: "limit"; readonly limit: number };

export interface OpenedSession {
  readonly session: EnvironmentSession;
  /** Time that the environment took to open it. */
  readonly tookMs: number;
  /** Closes the session and gives its place back. */
  readonly close: () => Promise<void>;
}

interface OpenSessionOptions extends Pick<OpenOptions, "answerLimitMs"> {
  /** Runs every wait, for room or for a failing environment. */
  readonly whileWaiting?: PausedWhile | undefined;
}

/** After this many failed probes the environment is sent a query, to see whether it answers at all. */
const TRIES_BEFORE_ASKING = 10;
/** Shortest time between two reports of a changed limit. */
const LIMIT_NEWS_MS = 60_000;

export class EnvironmentGate {
  readonly #options: EnvironmentGateOptions;
  readonly #room: Room;
  readonly #circuit: Circuit;
  readonly #listeners = new Set<(news: GateNews) => void>();
  readonly #doubts = new Doubts();
  /** Sessions that are being opened or in use. */
  #inFlight = 0;
  #hasOpened = false;
  #lastOpeningFailed = false;
  /** The environment answered queries while attempts failed, so faults count as the rollouts' own until one ends well. */
  #isAcquitted = false;
  #blockage: Blockage | null = null;
  #refusal: AppError | null = null;
  #toldLimit: number;
  #toldLimitMs = Number.NEGATIVE_INFINITY;

  constructor(options: EnvironmentGateOptions) {
    this.#options = options;
    this.#room = new Room(options);
    this.#circuit = new Circuit(options.clock, () => this.#look());
    this.#toldLimit = this.#room.facts.limit;
  }

  /** Counts since the run began. */
  get facts(): GateFacts {
    return { ...this.#room.facts, failures: this.#circuit.openings };
  }

  /** Null while sessions can be had, as far as is known. */
  get blockage(): Blockage | null {
    const { opened } = this.#circuit;
    if (opened !== null) return { why: "failing", ...opened };
    const sinceMs = this.#room.fullSinceMs;
    if (sinceMs === null || this.#refusal === null) return null;
    return { why: "full", sinceMs, fault: this.#refusal };
  }

  /** Changes how many sessions the configuration allows at once; open ones are left alone. */
  allow(maxSessions: number): void {
    this.#room.allow(maxSessions);
    this.#toldLimit = this.#room.facts.limit;
  }

  /** Calls back at news until the returned function is called. */
  listen(listener: (news: GateNews) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Lets the next attempt try a blocked environment at once. */
  tryNow(): void {
    this.#circuit.tryNow();
    this.#room.tryNow();
  }

  /** Keeps a failing environment from being tried until {@link tryNow}. */
  hold(): void {
    this.#circuit.hold();
  }

  /** Resolves when the environment is not known to fail. */
  well(signal: AbortSignal): Promise<void> {
    return this.#circuit.closed(signal);
  }

  /** Opens a session, waiting for as long as the environment is full or fails. @throws AppError `environment-*` but for capacity */
  async open(
    choice: TaskChoice,
    signal: AbortSignal,
    { whileWaiting = unpaused, ...limits }: OpenSessionOptions = {},
  ): Promise<OpenedSession> {
    const isFree = this.#room.hasPlace && this.#circuit.opened === null;
    let release = await (isFree ? this.#enter(signal) : whileWaiting(() => this.#enter(signal)));
    for (let refusals = 1; ; refusals += 1) {
      const opened = await this.#tryToOpen(choice, { ...limits, signal }, release);
      if ("session" in opened) return opened;
      const place = release;
      release = await whileWaiting(() => this.#rest(opened.refusal, refusals, place, signal));
    }
  }

  /** Sends the environment a query outside of a session; waits as {@link open} does. */
  async ask<Answer>(question: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let refusals = 1; ; refusals += 1) {
      await this.#circuit.pass(signal);
      try {
        const answer = await question();
        this.#circuit.succeeded();
        return answer;
      } catch (error) {
        if (isAppError(error, "environment-capacity")) {
          this.#refused(error);
          await this.#room.rest(error, refusals, signal);
        } else if (isServiceFault(error) || (isRefusal(error) && this.#hasOpened)) {
          this.#circuit.open(error);
        } else throw error;
      }
    }
  }

  /**
   * Reports how an attempt ended, null = without a fault; call it once for each attempt. Resolves with true when the environment caused
   * the fault: the attempt then does not count, and the next one waits here. A key or name that is refused after it had been accepted
   * counts as the environment's fault at once. When no attempt `isLeft` and the cause is unclear, waits until other rollouts show it.
   */
  async isToBlame(fault: unknown, isLeft: boolean, signal: AbortSignal): Promise<boolean> {
    if (isRefusal(fault)) {
      if (this.#hasOpened) this.#circuit.open(fault);
    } else if (isBadOpening(fault)) this.#circuit.failed(fault);
    else if (isServiceFault(fault)) {
      this.#circuit.failed(fault);
      await this.#askWhetherItAnswers(signal);
      if (this.#circuit.opened === null && !isLeft) return await this.#doubt(fault, signal);
    } else {
      this.#isAcquitted = false;
      this.#circuit.succeeded();
    }
    this.#settleDoubts();
    return isEnvironmentFault(fault) && this.#circuit.opened !== null;
  }

  async #enter(signal: AbortSignal): Promise<() => void> {
    const release = await this.#room.enter({ signal });
    await this.#circuit.pass(signal).catch(givingBack(release));
    return release;
  }

  /** Keeps the place while it waits after a refusal, so that the other attempts do not ask and get refused in turn. */
  async #rest(
    refusal: AppError,
    refusals: number,
    release: () => void,
    signal: AbortSignal,
  ): Promise<() => void> {
    await this.#room.rest(refusal, refusals, signal).catch(givingBack(release));
    const kept = await this.#room.keep(release, signal);
    await this.#circuit.pass(signal).catch(givingBack(kept));
    return kept;
  }

  async #tryToOpen(
    choice: TaskChoice,
    options: OpenOptions,
    release: () => void,
  ): Promise<OpenedSession | { readonly refusal: AppError }> {
    const { clock, remote } = this.#options;
    const startedMs = clock.monotonic();
    this.#inFlight += 1;
    try {
      const session = await remote.openSession(choice, options);
      this.#opened();
      const tookMs = clock.monotonic() - startedMs;
      return { session, tookMs, close: () => this.#close(session, release) };
    } catch (error) {
      this.#inFlight -= 1;
      this.#lastOpeningFailed = isServiceFault(error);
      if (!isAppError(error, "environment-capacity")) {
        release();
        throw error;
      }
      this.#room.shrink();
      this.#refused(error);
      return { refusal: error };
    }
  }

  #opened(): void {
    this.#hasOpened = true;
    this.#lastOpeningFailed = false;
    this.#room.opened();
    if (this.#circuit.opened === null) this.#doubts.settle(false);
    this.#look();
  }

  #refused(refusal: AppError): void {
    this.#refusal = refusal;
    this.#room.refused();
    // An environment that is full answers, so it does not fail.
    if (this.#circuit.opened !== null) this.#circuit.close();
    this.#doubts.settle(false);
    this.#look();
  }

  async #close(session: EnvironmentSession, release: () => void): Promise<void> {
    this.#inFlight -= 1;
    this.#room.closing();
    try {
      await session.close();
    } finally {
      this.#room.closed();
      release();
      this.#look();
    }
  }

  /** Waits for the verdict on a fault. When the last opening succeeded, the environment can be reached and is not at fault. */
  async #doubt(fault: AppError, signal: AbortSignal): Promise<boolean> {
    if (!this.#lastOpeningFailed || this.#isAcquitted) return false;
    const answer = this.#doubts.wait(fault, signal);
    this.#settleDoubts();
    return await answer;
  }

  /** When no session is left whose end could show the cause, the environment counts as the cause. */
  #settleDoubts(): void {
    const { fault } = this.#doubts;
    if (fault !== null && this.#inFlight === 0) this.#circuit.open(fault);
  }

  /** Sends a query after every tenth failed probe, so that a task which no environment could serve does not block the run for ever. */
  async #askWhetherItAnswers(signal: AbortSignal): Promise<void> {
    const { opened } = this.#circuit;
    if (opened === null || opened.tries === 0 || opened.tries % TRIES_BEFORE_ASKING !== 0) return;
    if (isRefusal(opened.fault)) return;
    const { remote } = this.#options;
    const answers = await remote.splits({ signal }).then(
      () => true,
      () => false,
    );
    await remote.release();
    if (!answers || this.#circuit.opened !== opened) return;
    this.#isAcquitted = true;
    this.#circuit.close();
  }

  /** Reports changes to the listeners. */
  #look(): void {
    const before = this.#blockage;
    const now = this.blockage;
    this.#blockage = now;
    if (before !== null && before.why !== now?.why) {
      this.#tell({ kind: "free", blockage: before, isAcquitted: this.#isAcquitted });
    }
    if (now !== null && before?.why !== now.why) this.#tell({ kind: "blocked", blockage: now });
    if (now?.why === "failing") this.#doubts.settle(true);
    this.#lookAtLimit();
  }

  #lookAtLimit(): void {
    const { limit } = this.#room.facts;
    const nowMs = this.#options.clock.monotonic();
    if (limit === this.#toldLimit || nowMs - this.#toldLimitMs < LIMIT_NEWS_MS) return;
    this.#toldLimit = limit;
    this.#toldLimitMs = nowMs;
    this.#tell({ kind: "limit", limit });
  }

  #tell(news: GateNews): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}

/** Gives the place back when a wait in it fails. */
function givingBack(release: () => void): (error: unknown) => never {
  return (error) => {
    release();
    throw error;
  };
}
