/** Decides by a seed which requests meet a fault, and counts what fired. */

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

/** Faults of the requests that a pattern finds; the first rule that fits decides. */
export interface FaultRule {
  /** Matches method and path, such as `POST /call`. */
  readonly request: RegExp;
  /** Share of the requests that fail, 0 to 1. */
  readonly share: number;
  readonly kinds: readonly FaultKind[];
}

/** Counts over all services, and the end of all faults once there were enough. */
export class FaultLedger {
  readonly limit: number;
  readonly #counts = new Map<string, Map<FaultKind, number>>();
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

  note(service: string, kind: FaultKind): void {
    const own = this.#counts.get(service) ?? new Map<FaultKind, number>();
    this.#counts.set(service, own.set(kind, (own.get(kind) ?? 0) + 1));
    this.#total += 1;
  }

  count(kind: FaultKind, service?: string): number {
    const tables = [...this.#counts].filter(([name]) => service === undefined || name === service);
    return tables.reduce((sum, [, own]) => sum + (own.get(kind) ?? 0), 0);
  }
}

export class FaultPlan {
  readonly service: string;
  readonly #ledger: FaultLedger;
  readonly #rules: readonly FaultRule[];
  readonly #uniform: () => number;

  constructor(service: string, seed: number, rules: readonly FaultRule[], ledger: FaultLedger) {
    this.service = service;
    this.#rules = rules;
    this.#uniform = createUniform(seed);
    this.#ledger = ledger;
  }

  /** The fault that a request meets, null for none. The n-th request of a service always draws the same two numbers. */
  draw(request: string): FaultKind | null {
    const [whether, which] = [this.#uniform(), this.#uniform()];
    const rule = this.#rules.find((each) => each.request.test(request));
    if (rule === undefined || this.#ledger.isFull || whether >= rule.share) return null;
    return rule.kinds[Math.floor(which * rule.kinds.length)] ?? null;
  }

  fired(kind: FaultKind): void {
    this.#ledger.note(this.service, kind);
  }
}
