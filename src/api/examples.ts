/** What an editor of this package asks its server about demonstrations. */

import * as z from "zod";

export const EXAMPLE_REQUESTS = {
  /** An {@link ExamplesRequest}, answered with the `RequestOutcome` of the folder that shows them as a run. */
  read: "tinkerRL/examples/read",
} as const;

export const examplesRequestSchema = z
  .object({
    /** A JSONL file of conversations. */
    path: z.string(),
    /** The text of the configuration that trains on them, with its place and overrides; null = none. */
    config: z
      .object({ path: z.string(), text: z.string(), overrides: z.array(z.string()).readonly() })
      .readonly()
      .nullable(),
    /** The folder for folders of such files. */
    parent: z.string(),
  })
  .readonly();

export type ExamplesRequest = z.infer<typeof examplesRequestSchema>;
