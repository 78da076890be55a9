/** Schemas of requests from the editor about configurations. */

import * as z from "zod";

export const documentRequest = z.object({ uri: z.string() });
export const insertEnvironmentRequest = documentRequest.extend({
  name: z.string(),
  /** The content below the name; absent = a split and a group size. */
  entry: z.record(z.string(), z.json()).optional(),
  /** Whether the environment has a `test` split, to be evaluated; absent = not known. */
  hasTest: z.boolean().optional(),
});
export const insertSourceRequest = documentRequest.extend({
  entry: z.record(z.string(), z.json()),
});
export const secretAtRequest = documentRequest.extend({ path: z.array(z.string()) });
export const editorHandshake = z.object({
  tinkerRlVersion: z.string(),
  storageFolder: z.string(),
});
