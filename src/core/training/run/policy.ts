/** The weights of one moment, as something that samples. */

import type { SamplingClient } from "../../tinker/samplingClient.ts";

export interface Policy {
  readonly sampler: SamplingClient;
  /** Completed steps when the weights came to be. */
  readonly version: number;
  /** Updates of the weights that it has seen. */
  readonly updates: number;
}
