/** Counts the tokens of a chat model and their cost. */

import { readPriceFile } from "../../core/runFolder/priceFile.ts";
import { meteredSampler } from "../../core/tinker/metered.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import { type Prices, type UsedTotal, usedTotal } from "../../core/usage/prices.ts";
import { NO_RUN_USAGE } from "../../core/usage/tokenUsage.ts";
import { UsageMeter } from "../../core/usage/usageMeter.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import type { ChosenRun } from "./chooseModel.ts";

export interface MeteredModel {
  /** Counts toward {@link used}, even if a request has a meter of its own. */
  readonly sampler: SamplingClient;
  /** For requests sent directly to the original sampler, in addition to their own meter. */
  readonly meter: UsageMeter;
  /** Usage so far, including aborted samples. */
  readonly used: () => UsedTotal;
}

/** Uses the configuration's prices, or else those recorded with the run. */
export async function meteredModel(
  sampler: SamplingClient,
  { config }: LoadedConfig,
  run: ChosenRun | null,
): Promise<MeteredModel> {
  const prices = config.prices ?? (await pricesOf(run, config.model_name));
  const meter = new UsageMeter();
  return {
    sampler: meteredSampler(sampler, meter),
    meter,
    used: () => usedTotal({ ...NO_RUN_USAGE, cumulative: meter.usage.used }, prices),
  };
}

async function pricesOf(run: ChosenRun | null, model: string): Promise<Prices | null> {
  const kept = run === null ? null : await readPriceFile(run.files, run.folder);
  return kept?.model === model ? kept.prices : null;
}
