/** The form of ids and names in the files of a run: a folder may come from a stranger, so no name may hold a path. */

import * as z from "zod";

/** Becomes part of names of files and addresses. */
export const storedId = z.string().regex(/^[\w-]{1,128}$/);

/** The name of a file or folder, without a way to it. */
export const baseName = z.string().regex(/^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u);

/** As {@link storedId}, for checkpoints. */
export const checkpointName = z.string().regex(/^[\w-]{1,255}$/);

/** `tinker://RUN/weights/NAME` and the like: two or three parts, each of them a plain name. A percent sign would make another path of it at a service that decodes it. */
export const checkpointPath = z
  .string()
  .max(2_000)
  .regex(/^tinker:\/(\/(?!\.{1,2}(\/|$))[^/\\?#%\s\p{Cc}]+){2,3}$/u);
