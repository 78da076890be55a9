/** The weights of one moment, as something that samples. */

import type { SamplingClient } from "../../tinker/samplingClient.ts";

export interface Policy {
  readonly sampler: SamplingClient;
  /** Completed steps when the weights came to be. */
  readonly version: number;
  /** Updates of the weights that it has seen. */
  readonly updates: number;
  /**
   * Updates that it had not seen when groups were issued with it: 0 unless the service hands out old weights. What it lacks beyond that
   * when they are trained is the lag that `max_steps_off_policy` allowed then.
   */
  readonly behind: number;
}
