/** Cache of rollouts read recently or likely to be read next, so that moving between them is instant. */

import type { RolloutBody } from "../../src/shared/dashboardTypes.ts";
import { plainKey, type RolloutKey, rolloutKeyName } from "../../src/shared/rolloutSet.ts";
import type { Host } from "./host.ts";

/** A rollout with long texts takes megabytes. */
const MAX_KEPT = 6;

export interface ReadRollout {
  readonly body: RolloutBody | null;
  readonly error: string | null;
}

interface Entry {
  answer: ReadRollout | null;
  readonly waiting: Set<(answer: ReadRollout) => void>;
  readonly cancel: () => void;
}

export class RolloutBodies {
  readonly #host: Host;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** The cached rollout, or null. */
  get(key: RolloutKey): ReadRollout | null {
    return this.#entries.get(rolloutKeyName(key))?.answer ?? null;
  }

  /** Requests the rollout if it is not cached; calls `take` when it arrives, unless the returned function was called before. */
  request(key: RolloutKey, take: (answer: ReadRollout) => void = () => undefined): () => void {
    const name = rolloutKeyName(key);
    const entry = this.#entries.get(name) ?? this.#ask(plainKey(key));
    this.#entries.delete(name);
    // Failed requests are not cached, so that they are retried.
    if (entry.answer?.error == null) this.#entries.set(name, entry);
    if (entry.answer === null) entry.waiting.add(take);
    else take(entry.answer);
    for (const [oldest, { cancel }] of this.#entries) {
      if (this.#entries.size <= MAX_KEPT) break;
      cancel();
      this.#entries.delete(oldest);
    }
    return () => entry.waiting.delete(take);
  }

  /** Drops all rollouts, also those that are requested. */
  clear(): void {
    for (const { cancel } of this.#entries.values()) cancel();
    this.#entries.clear();
  }

  #ask(key: RolloutKey): Entry {
    const entry: Entry = {
      answer: null,
      waiting: new Set(),
      cancel: this.#host.ask({ ask: "rollout", key }, (answer) => {
        if (answer.kind === "rollout") entry.answer = { body: answer.body, error: null };
        else if (answer.kind === "error") entry.answer = { body: null, error: answer.message };
        if (entry.answer === null) return;
        for (const take of entry.waiting) take(entry.answer);
        entry.waiting.clear();
        entry.cancel();
      }),
    };
    return entry;
  }
}
