/** Answers a page's questions about one run; each has a number and can be canceled. */

import { setImmediate as turn } from "node:timers/promises";
import { errorMessage } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import type { DashboardQuestion, HostMessage } from "../../shared/dashboardMessages.ts";
import { packRows } from "../../shared/packedRows.ts";
import type { RolloutSet } from "../../shared/rolloutSet.ts";
import { rolloutRow } from "./rolloutViews.ts";
import { RunQueries, type RunQueriesOptions } from "./runQueries.ts";

const ROWS_PER_PAGE = 500;

export interface AnswererOptions extends RunQueriesOptions {
  readonly post: (message: HostMessage) => void;
  readonly clock: Clock;
  /** Removes what the page must not see from an error message. */
  readonly clean: (text: string) => string;
}

/** A question whose answer changes while its step is in progress. */
interface Watched {
  readonly id: number;
  readonly set: RolloutSet;
  sent: readonly RolloutSummary[] | null;
  sentAtMs: number;
}

export class Answerer {
  readonly #options: AnswererOptions;
  readonly #queries: RunQueries;
  readonly #open = new Map<number, AbortController>();
  #watched: Watched | null = null;

  constructor(options: AnswererOptions) {
    this.#options = options;
    this.#queries = new RunQueries(options);
  }

  answer(id: number, question: DashboardQuestion): void {
    const controller = new AbortController();
    this.#open.set(id, controller);
    this.#send(id, question, controller.signal)
      .catch((error: unknown) => {
        this.#post(id, { kind: "error", id, message: this.#options.clean(errorMessage(error)) });
      })
      .finally(() => {
        if (this.#watched?.id !== id) this.#open.delete(id);
      });
  }

  cancel(id: number): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
    if (this.#watched?.id === id) this.#watched = null;
  }

  /** Resends the most recently requested rollouts if they have changed. */
  async refresh(): Promise<void> {
    if (this.#watched !== null) await this.#sendRollouts(this.#watched);
  }

  dispose(): void {
    for (const id of [...this.#open.keys()]) this.cancel(id);
    this.#watched = null;
  }

  async #send(id: number, question: DashboardQuestion, signal: AbortSignal): Promise<void> {
    const queries = this.#queries;
    switch (question.ask) {
      case "rollouts":
        return this.#watch(id, question);
      case "rollout": {
        const { key } = question;
        this.#post(id, { kind: "rollout", id, key, body: await queries.rollout(key) });
        return;
      }
      case "counterpart":
        this.#post(id, { kind: "rollout", id, ...(await queries.counterpart(question)) });
        return;
      case "occurrences": {
        const { sets, isComplete } = await queries.occurrences(question);
        this.#post(id, { kind: "occurrences", id, sets, isComplete });
        return;
      }
      case "details":
        this.#post(id, { kind: "details", id, details: await queries.details(question) });
        return;
      case "tokens":
        this.#post(id, { kind: "tokens", id, window: await queries.tokens(question) });
        return;
      case "found-token":
        this.#post(id, { kind: "found-token", id, place: await queries.foundToken(question) });
        return;
      case "search":
        for await (const report of queries.search(question, signal)) {
          this.#post(id, { kind: "search", id, ...report });
        }
        return;
      case "behavior":
        for await (const report of queries.behavior(signal)) {
          this.#post(id, { kind: "behavior", id, ...report });
        }
        return;
      case "changes":
        for await (const report of queries.changes(question, signal)) {
          this.#post(id, { kind: "changes", id, ...report });
        }
        return;
      case "evidence":
        for await (const report of queries.evidence(question)) {
          if (!this.#post(id, { kind: "evidence", id, ...report })) return;
        }
        return;
      case "timeline":
        this.#post(id, { kind: "timeline", id, timeline: await queries.timeline(question) });
        return;
      case "tasks":
        this.#post(id, { kind: "tasks", id, tasks: await queries.tasks(question) });
        return;
      case "image":
        this.#post(id, { kind: "image", id, address: await queries.image(question) });
        return;
      case "config":
        this.#post(id, { kind: "config", id, config: await queries.config() });
        return;
      case "superseded":
        this.#post(id, { kind: "superseded", id, ...(await queries.superseded(question)) });
    }
  }

  #watch(id: number, { source, step }: RolloutSet): Promise<void> {
    if (this.#watched !== null) this.#open.delete(this.#watched.id);
    this.#watched = { id, set: { source, step }, sent: null, sentAtMs: 0 };
    return this.#sendRollouts(this.#watched);
  }

  async #sendRollouts(target: Watched): Promise<void> {
    const { clock } = this.#options;
    const { id } = target;
    const summaries = await this.#queries.summaries(target.set);
    const total = summaries.length;
    if (summaries === target.sent || !this.#open.has(id)) return;
    // Every update resends all rows, so long lists are updated less often.
    const pauseMs = target.sent === null ? 0 : target.sentAtMs + total - clock.monotonic();
    if (pauseMs > 0) return;
    target.sent = summaries;
    target.sentAtMs = clock.monotonic();
    for (let from = 0; from === 0 || from < total; from += ROWS_PER_PAGE) {
      const rows = packRows(summaries.slice(from, from + ROWS_PER_PAGE).map(rolloutRow));
      if (!this.#post(id, { kind: "rollouts", id, total, from, rows })) return;
      await turn();
    }
  }

  /** Drops answers to canceled questions; false = not sent. */
  #post(id: number, message: HostMessage): boolean {
    const isOpen = this.#open.has(id);
    if (isOpen) this.#options.post(message);
    return isOpen;
  }
}
