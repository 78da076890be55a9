/** Rejects secrets in settings and tasks, which are files that others can read. */

import { AppError } from "../../core/errors.ts";
import { formatKey } from "../../shared/format.ts";
import type { LaunchConfig } from "../keys/launchKeys.ts";

/** Ignores an invalid configuration, which the trainer will reject. @throws AppError `secret-not-allowed` */
export function requireNoSecret({
  parsed,
  overrides,
}: Pick<LaunchConfig, "parsed" | "overrides">): void {
  if (!parsed.ok) return;
  // Applied overrides are unchanged except for redacted secrets.
  const found = parsed.overrides.find((applied, index) => applied.text !== overrides[index]);
  if (found === undefined) return;
  const key = formatKey(found.path);
  throw new AppError(
    "secret-not-allowed",
    `${key} is set in a file that others can read. Store it with *Set API Key* or in .env, and set ${key} to null.`,
    { configPath: key },
  );
}
