/** Schemas for ids and names in a run's files. A folder may come from a stranger, so no name may contain a path. */

import * as z from "zod";

/** Used in file names and addresses. */
export const storedId = z.string().regex(/^[\w-]{1,128}$/);

/** The name of a file or folder, without any path. */
export const baseName = z.string().regex(/^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u);

/** Like {@link storedId}, for checkpoints. */
export const checkpointName = z.string().regex(/^[\w-]{1,255}$/);

/** `tinker://RUN/weights/NAME` and the like. Percent signs are rejected, because a service might decode them into another path. */
export const checkpointPath = z
  .string()
  .max(2_000)
  .regex(/^tinker:\/(\/(?!\.{1,2}(\/|$))[^/\\?#%\s\p{Cc}]+){2,3}$/u);
