/**
 * The way to the sessions of one environment: it lets in as many as there is room for, nobody while the environment fails, and judges
 * whether a fault was the environment's or the rollout's own.
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
import { Room, type RoomFacts, type RoomParts } from "./room.ts";

export interface GateParts extends RoomParts {
  readonly remote: RemoteEnvironment;
}

export interface GateFacts extends RoomFacts {
  /** How often the environment failed so much that attempts were held back. */
  readonly failures: number;
}

/** Why no session can be had at the moment. */
export interface Blockage {
  /** `failing`: attempts fail for the environment's sake. `full`: it has no room for a single session. */
  readonly why: "failing" | "full";
  /** On the monotonic clock. */
  readonly sinceMs: number;
  readonly fault: AppError;
}

export type GateNews =
  | { readonly kind: "blocked"; readonly blockage: Blockage }
  /** `isAcquitted`: it answers questions while attempts fail, so that what cannot be played fails by itself from now on. */
  | { readonly kind: "free"; readonly blockage: Blockage; readonly isAcquitted: boolean }
  /** Refusals, or the lack of them, have changed how many sessions are asked for at once. */
  | { readonly kind: "limit"; readonly limit: number };

export interface OpenedSession {
  readonly session: EnvironmentSession;
  /** Time that the environment took to open it. */
  readonly tookMs: number;
  /** Closes the session and gives its place back. */
  readonly close: () => Promise<void>;
}

interface GateOptions extends Pick<OpenOptions, "answerLimitMs"> {
  /** Runs every wait, for room or for a failing environment. */
  readonly whileWaiting?: PausedWhile | undefined;
}

/** After so many attempts in vain a failing environment is asked whether it answers at all. */
const TRIES_BEFORE_ASKING = 10;
/** A changed limit is news at most so often. */
const LIMIT_NEWS_MS = 60_000;

export class EnvironmentGate {
  readonly #parts: GateParts;
  readonly #room: Room;
  readonly #circuit: Circuit;
  readonly #listeners = new Set<(news: GateNews) => void>();
  readonly #doubts = new Doubts();
  /** Sessions that are being opened or in use. */
  #inFlight = 0;
  #hasOpened = false;
  #lastOpeningFailed = false;
  /** It answered questions while attempts failed, so single rollouts are to blame until one ends well. */
  #isAcquitted = false;
  #blockage: Blockage | null = null;
  #refusal: AppError | null = null;
  #toldLimit: number;
  #toldLimitMs = Number.NEGATIVE_INFINITY;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#room = new Room(parts);
    this.#circuit = new Circuit(parts.clock, () => this.#look());
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

  /** Lets a blocked environment be tried at once. */
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
    { whileWaiting = unpaused, ...limits }: GateOptions = {},
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

  /** Asks the environment something beside its sessions, waiting as {@link open} does. */
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
   * Learns how an attempt ended, null = without a fault; to be called once for each. True when the environment is to blame for its
   * fault, so that the attempt does not count: the next one will wait here. A key or a name that was good before is blamed at once.
   * Where no attempt `isLeft` and that is in doubt, it waits for what the others meet.
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

  /** Waits in the place that it was refused in, so that not all the others ask in turn. */
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
    const { clock, remote } = this.#parts;
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
    // It is full, but it answers.
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

  /** Where the last session was opened, the environment can be reached. */
  async #doubt(fault: AppError, signal: AbortSignal): Promise<boolean> {
    if (!this.#lastOpeningFailed || this.#isAcquitted) return false;
    const answer = this.#doubts.wait(fault, signal);
    this.#settleDoubts();
    return await answer;
  }

  /** Once nobody is left who could tell, what cannot be reached is to blame. */
  #settleDoubts(): void {
    const { fault } = this.#doubts;
    if (fault !== null && this.#inFlight === 0) this.#circuit.open(fault);
  }

  /** A task that no environment could serve must not hold the run up for ever. */
  async #askWhetherItAnswers(signal: AbortSignal): Promise<void> {
    const { opened } = this.#circuit;
    if (opened === null || opened.tries === 0 || opened.tries % TRIES_BEFORE_ASKING !== 0) return;
    if (isRefusal(opened.fault)) return;
    const { remote } = this.#parts;
    const answers = await remote.splits({ signal }).then(
      () => true,
      () => false,
    );
    await remote.release();
    if (!answers || this.#circuit.opened !== opened) return;
    this.#isAcquitted = true;
    this.#circuit.close();
  }

  /** Tells what is new. */
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
    const nowMs = this.#parts.clock.monotonic();
    if (limit === this.#toldLimit || nowMs - this.#toldLimitMs < LIMIT_NEWS_MS) return;
    this.#toldLimit = limit;
    this.#toldLimitMs = nowMs;
    this.#tell({ kind: "limit", limit });
  }

  #tell(news: GateNews): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}

/** For a wait that fails in a place: the place is given back. */
function givingBack(release: () => void): (error: unknown) => never {
  return (error) => {
    release();
    throw error;
  };
}
