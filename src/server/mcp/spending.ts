/** What an assistant may still spend. */

import { AppError } from "../../core/errors.ts";
import { formatCost } from "../../shared/format.ts";

/** Each start reserves its full limit, however little it uses, because the cost reported in a run folder cannot be trusted. */
export class Spending {
  readonly #maxUsd: number;
  #reservedUsd = 0;

  constructor(maxUsd: number) {
    this.#maxUsd = maxUsd;
  }

  get leftUsd(): number {
    return this.#maxUsd - this.#reservedUsd;
  }

  /** Returns a function that releases the reservation, for a start that failed. @throws AppError `not-allowed` */
  reserve(usd: number): () => void {
    // Allow for rounding errors in sums of cents.
    if (!(usd <= this.leftUsd + 1e-9)) {
      throw new AppError(
        "not-allowed",
        `This can cost ${formatCost(usd)}, and ${formatCost(Math.max(0, this.leftUsd))} of ${formatCost(this.#maxUsd)} are left. Make it smaller, for example with max_steps or max_cost_usd, or ask the user for another --max-usd.`,
      );
    }
    this.#reservedUsd += usd;
    let isReserved = true;
    return () => {
      if (isReserved) this.#reservedUsd -= usd;
      isReserved = false;
    };
  }
}
