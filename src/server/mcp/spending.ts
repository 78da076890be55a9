/** What an assistant may still spend. */

import { AppError } from "../../core/errors.ts";
import { formatCost } from "../../shared/format.ts";

/** What is started counts with its limit from then on, however little it uses: what a run folder says of its cost is never believed. */
export class Spending {
  readonly #maxUsd: number;
  #reservedUsd = 0;

  constructor(maxUsd: number) {
    this.#maxUsd = maxUsd;
  }

  get leftUsd(): number {
    return this.#maxUsd - this.#reservedUsd;
  }

  /** The returned function gives it back, for what has not started. @throws AppError `not-allowed` */
  reserve(usd: number): () => void {
    // Sums of cents are not exact.
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
