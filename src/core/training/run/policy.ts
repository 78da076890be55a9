/** The weights at one point in time, for sampling. */

import type { SamplingClient } from "../../tinker/samplingClient.ts";

export interface Policy {
  readonly sampler: SamplingClient;
  /** Completed steps when the weights were made. */
  readonly version: number;
  /** Number of weight updates that it includes. */
  readonly updates: number;
  /**
   * Updates it lacked when groups were issued with it: 0 unless the service returned old weights. Any further lag at training time is
   * what `max_steps_off_policy` allowed.
   */
  readonly behind: number;
}
