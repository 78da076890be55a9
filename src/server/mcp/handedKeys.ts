/** The keys that an editor hands to this server: in one variable, so that each keeps the host that it is bound to. */

import { parseJson } from "../../core/util/jsonl.ts";
import { handedOver } from "../../node/control/messages.ts";
import type { LaunchRequest } from "../../shared/control.ts";

/** Set for the process of this server alone; what it starts gets a short list of variables. */
export const HANDED_KEYS = "TINKER_RL_HANDED_KEYS";

/** By name; empty where no editor has started this process. */
export function handedKeys(env: NodeJS.ProcessEnv): LaunchRequest["keys"] {
  return handedOver.keys.safeParse(parseJson(env[HANDED_KEYS] ?? "")?.value).data ?? {};
}
