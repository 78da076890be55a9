/** What requests of an editor to its server have in common. Loads nothing. */

import type { LaunchError } from "../shared/control.ts";

/** The answer to what may fail for a reason that the user can remove, as a missing key. */
export type RequestOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: LaunchError };

/** A request that is followed on its way by `$/progress` with this token. */
export interface ReportsProgress {
  /** A new one for each request. */
  readonly progressToken: string;
}
