/** Requests from this extension to its server about examples (demonstrations). */

import * as z from "zod";

export const EXAMPLE_REQUESTS = {
  /** An {@link ExamplesRequest}, answered with the `RequestOutcome` of the folder that presents them as a run. */
  read: "tinkerRL/examples/read",
} as const;

export const examplesRequestSchema = z
  .object({
    /** A JSONL file with conversations. */
    path: z.string(),
    /** The configuration that trains on them: text, path and overrides; null = none. */
    config: z
      .object({ path: z.string(), text: z.string(), overrides: z.array(z.string()).readonly() })
      .readonly()
      .nullable(),
    /** The parent folder for such folders. */
    parent: z.string(),
  })
  .readonly();

export type ExamplesRequest = z.infer<typeof examplesRequestSchema>;
