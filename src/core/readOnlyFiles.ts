/** Read-only access to files. */

import { AppError } from "./errors.ts";
import type { FolderFiles } from "./ports.ts";

/** The same files, but every change is refused. */
export function readOnlyFiles(files: FolderFiles): FolderFiles {
  const refuse = (path: string): Promise<never> =>
    Promise.reject(
      new AppError(
        "read-only",
        `${path} was not changed, because its folder is open for reading only.`,
      ),
    );
  return {
    ...files,
    append: refuse,
    writeAtomic: refuse,
    makeDirectory: refuse,
    claimDirectory: refuse,
    rename: refuse,
    remove: refuse,
    truncate: refuse,
    within: (folder) => readOnlyFiles(files.within(folder)),
  };
}
