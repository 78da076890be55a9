/** What the user allows an assistant to do. Set only by the command line and the editor's own settings, never by a workspace file. */

import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";

/** Names of what can be allowed. */
export const ALLOWABLE = ["start", "stop", "pause", "settings", "evaluate", "commands"] as const;

export type Allowed = (typeof ALLOWABLE)[number];

export interface Permission {
  readonly allowed: ReadonlySet<Allowed>;
  /** Maximum total cost of everything that is started. */
  readonly maxUsd: number;
  /** Origins that configurations may name and that keys may be sent to. */
  readonly origins: readonly Pick<AllowedOrigin, "origin">[];
  /** Names of secrets that environments may receive, in upper case. */
  readonly secrets: readonly string[];
}
