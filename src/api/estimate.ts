/** What an editor of this package asks its server about estimates. */

import * as z from "zod";

export const ESTIMATE_REQUESTS = {
  /** A {@link BasisRequest}, answered with the `RequestOutcome` of an `EstimateBasis`; asks no service. Can be canceled. */
  basis: "tinkerRL/estimate/basis",
} as const;

export interface BasisRequest {
  /** Absolute. */
  readonly configPath: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
}

/** What an estimate of a configuration can rest on. */
export interface EstimateBasis {
  /** The folder of the newest run of the same environments and model; null without. */
  readonly pastRun: string | null;
  readonly model: string;
  /** True when groups that are played for it may cost something. */
  readonly isBilled: boolean;
}

export const basisRequestSchema: z.ZodType<BasisRequest> = z
  .object({ configPath: z.string(), overrides: z.array(z.string()).readonly() })
  .readonly();
