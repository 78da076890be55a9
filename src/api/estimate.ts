/** What an editor of this package asks its server about estimates. */

import * as z from "zod";

export const ESTIMATE_REQUESTS = {
  /** A {@link BasisRequest}, answered with the `RequestOutcome` of an `EstimateBasis`; asks no service. Can be canceled. */
  basis: "tinkerRL/estimate/basis",
} as const;

/** What an estimate of a configuration can rest on. */
export interface EstimateBasis {
  /** The folder of the newest run of the same environments and model; null without. */
  readonly pastRun: string | null;
  readonly model: string;
  /** True when groups that are played for it may cost something. */
  readonly isBilled: boolean;
}

export const basisRequestSchema = z
  .object({
    /** Absolute. */
    configPath: z.string(),
    /** `key=value` each. */
    overrides: z.array(z.string()).readonly(),
  })
  .readonly();

export type BasisRequest = z.infer<typeof basisRequestSchema>;
