/** Keys that an editor hands to this server, in a single variable, so that each keeps the host it is bound to. */

import { parseJson } from "../../core/util/jsonl.ts";
import { handedOver } from "../../node/control/messages.ts";
import type { LaunchRequest } from "../../shared/control.ts";

/** Set only for this server's process; child processes get a short allowlist of variables. */
export const HANDED_KEYS = "TINKER_RL_HANDED_KEYS";

/** Keys by variable name; empty if no editor started this process. */
export function handedKeys(env: NodeJS.ProcessEnv): LaunchRequest["keys"] {
  return handedOver.keys.safeParse(parseJson(env[HANDED_KEYS] ?? "")?.value).data ?? {};
}
