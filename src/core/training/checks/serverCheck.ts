/** What an attempt asks the service before it trains, and the tokens of that, which belong to no step. */

import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { meteredSampler } from "../../tinker/metered.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { TokenUsage } from "../../usage/tokenUsage.ts";
import { UsageMeter } from "../../usage/usageMeter.ts";
import type { RunContext } from "../run/context.ts";
import { meteredContext } from "../run/meteredContext.ts";
import { checkLoss } from "./checkLoss.ts";
import { checkReferences } from "./checkReferences.ts";
import { checkSampling } from "./checkSampling.ts";
import { reportSkippedProbe } from "./reportServerCheck.ts";

export class ServerCheck {
  readonly #meter = new UsageMeter();
  readonly #context: RunContext;
  /** The next one of the run. */
  readonly #step: number;

  constructor(context: RunContext, step: number) {
    this.#context = meteredContext(context, this.#meter);
    this.#step = step;
  }

  get tokens(): TokenUsage {
    return this.#meter.usage.used;
  }

  /** Before the sampler is there. @throws AppError as {@link checkLoss} */
  async loss(): Promise<void> {
    const { config } = this.#context;
    if (config.probe_server) await checkLoss(this.#context, this.#step);
    else await reportSkippedProbe(this.#context, this.#step);
  }

  /** Returns metrics for the next row. @throws AppError as {@link checkSampling} and {@link checkReferences} */
  async sampling(sampler: SamplingClient): Promise<MetricsTree> {
    const { config } = this.#context;
    const metered = meteredSampler(sampler, this.#meter);
    const found = config.probe_server
      ? await checkSampling(this.#context, metered, this.#step)
      : {};
    await checkReferences(this.#context);
    return found;
  }
}
