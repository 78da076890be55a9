/** Rejects secrets in settings and tasks, which are files that others can read. */

import { parseConfig } from "../../core/config/parse.ts";
import { AppError } from "../../core/errors.ts";
import { formatKey } from "../../shared/format.ts";
import type { LaunchConfig } from "../keys/launchKeys.ts";

/** Ignores an invalid configuration, which the trainer will reject. @throws AppError `secret-not-allowed` */
export function requireNoSecret({
  path,
  text,
  overrides,
}: Pick<LaunchConfig, "path" | "text" | "overrides">): void {
  const result = parseConfig(text, { path, overrides });
  if (!result.ok) return;
  // Applied overrides are unchanged except for redacted secrets.
  const found = result.overrides.find((applied, index) => applied.text !== overrides[index]);
  if (found === undefined) return;
  const key = formatKey(found.path);
  throw new AppError(
    "secret-not-allowed",
    `${key} is set in a file that others can read. Store it with *Set API Key* or in .env, and set ${key} to null.`,
    { configPath: key },
  );
}
