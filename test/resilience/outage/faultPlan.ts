/** Decides from a seed which requests meet a fault, and counts the injected faults. */

import { createUniform } from "../../../src/shared/uniform.ts";

export const FAULT_KINDS = [
  "429",
  "429 with Retry-After",
  "500",
  "502",
  "503",
  "504",
  "reset before the request",
  "reset after the request",
  "body cut off",
  "stream cut off",
  "stream ended early",
  "hang",
  "hang until the client ends it",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** Faults of the requests that match a pattern; the first matching rule decides. */
export interface FaultRule {
  /** Matches method and path, such as `POST /call`. */
  readonly request: RegExp;
  /** Share of the requests that fail, 0 to 1. */
  readonly share: number;
  readonly kinds: readonly FaultKind[];
}

/** Counts over all services, and stops all faults once there were enough. */
export class FaultLedger {
  readonly limit: number;
  readonly #counts = new Map<FaultKind, number>();
  #total = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get total(): number {
    return this.#total;
  }

  get isFull(): boolean {
    return this.#total >= this.limit;
  }

  note(kind: FaultKind): void {
    this.#counts.set(kind, this.count(kind) + 1);
    this.#total += 1;
  }

  count(kind: FaultKind): number {
    return this.#counts.get(kind) ?? 0;
  }
}

export class FaultPlan {
  readonly #ledger: FaultLedger;
  readonly #rules: readonly FaultRule[];
  readonly #uniform: () => number;

  constructor(seed: number, rules: readonly FaultRule[], ledger: FaultLedger) {
    this.#rules = rules;
    this.#uniform = createUniform(seed);
    this.#ledger = ledger;
  }

  /** The fault for a request, or null. The n-th request of a service always draws the same two numbers. */
  draw(request: string): FaultKind | null {
    const [whether, which] = [this.#uniform(), this.#uniform()];
    const rule = this.#rules.find((each) => each.request.test(request));
    if (rule === undefined || this.#ledger.isFull || whether >= rule.share) return null;
    return rule.kinds[Math.floor(which * rule.kinds.length)] ?? null;
  }

  fired(kind: FaultKind): void {
    this.#ledger.note(kind);
  }
}
