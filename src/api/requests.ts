/** Common parts of requests from an editor to its server. Imports no runtime code. */

import type { LaunchError } from "../shared/control.ts";

/** The answer to a request that may fail for a reason the user can fix, such as a missing key. */
export type RequestOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: LaunchError };

/** A request whose progress is reported by `$/progress` with this token. */
export interface ReportsProgress {
  /** Unique per request. */
  readonly progressToken: string;
}
