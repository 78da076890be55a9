/** The configuration of a run, as a resume would read it. */

import type { Config } from "../../core/config/fields/schema.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { createFileSystem } from "../../node/fileSystem.ts";
import { startConfig } from "../../node/startConfig.ts";

/** @throws Error listing its problems; AppError like `startConfig` */
export async function configOfRun(folder: string): Promise<Config> {
  const { text, path, overrides } = await startConfig(createFileSystem(), {
    resume: folder,
    overrides: [],
  });
  const result = parseConfig(text, { path, overrides });
  if (result.ok) return result.config;
  throw new Error(result.problems.map(({ message }) => message).join(" "));
}
