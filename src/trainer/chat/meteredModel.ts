/** Counts what a model of conversations is asked for, and what that costs. */

import { readPriceFile } from "../../core/runFolder/priceFile.ts";
import { meteredSampler } from "../../core/tinker/metered.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import { type Prices, type UsedTotal, usedTotal } from "../../core/usage/prices.ts";
import { NO_RUN_USAGE } from "../../core/usage/tokenUsage.ts";
import { UsageMeter } from "../../core/usage/usageMeter.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import type { ChosenRun } from "./chooseModel.ts";

export interface MeteredModel {
  /** Counts for {@link used}, whatever meter a request has. */
  readonly sampler: SamplingClient;
  /** For requests to the sampler that was given, each with a meter of its own beside this one. */
  readonly meter: UsageMeter;
  /** Everything so far, samples that were stopped included. */
  readonly used: () => UsedTotal;
}

/** With the prices of the configuration, or else those that the run was counted with. */
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
