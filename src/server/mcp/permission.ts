/** What the user lets an assistant do. Only the command line and the editor's own settings say it, never a file of the workspace. */

import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";

/** What can be allowed, by name. */
export const ALLOWABLE = ["start", "stop", "pause", "settings", "evaluate", "commands"] as const;

export type Allowed = (typeof ALLOWABLE)[number];

export interface Permission {
  readonly allowed: ReadonlySet<Allowed>;
  /** What all that is started may cost together. */
  readonly maxUsd: number;
  /** Addresses that configurations may name, and keys may go to. */
  readonly origins: readonly Pick<AllowedOrigin, "origin">[];
  /** Names of secrets that environments may get, in upper case. */
  readonly secrets: readonly string[];
}
