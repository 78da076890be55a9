/** Requests from this extension to its server about estimates. */

import * as z from "zod";

export const ESTIMATE_REQUESTS = {
  /** A {@link BasisRequest}, answered with the `RequestOutcome` of an `EstimateBasis`; contacts no service. Cancelable. */
  basis: "tinkerRL/estimate/basis",
} as const;

/** What an estimate of a configuration can be based on. */
export interface EstimateBasis {
  /** Folder of the past run that is most like it; null if none has the same model and environments. */
  readonly pastRun: string | null;
  readonly model: string;
  /** True if playing groups for the estimate may cost money. */
  readonly isBilled: boolean;
}

export const basisRequestSchema = z
  .object({
    /** Absolute. */
    configPath: z.string(),
    /** `key=value` each. */
    overrides: z.array(z.string()).readonly(),
    /** Each `key=value,value`; empty = a single training. */
    grid: z.array(z.string()).readonly(),
  })
  .readonly();

export type BasisRequest = z.infer<typeof basisRequestSchema>;
