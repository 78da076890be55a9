/** Requests to the server about checkpoints, each with only the key that it needs. */

import {
  CHECKPOINT_REQUESTS,
  type ChangeWeightsRequest,
  type HandedKeys,
} from "../../api/checkpoints.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { serviceVariables } from "../../core/secrets/serviceHosts.ts";
import type { CheckpointChange } from "../../core/tinker/checkpointChange.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { Server } from "../server/server.ts";
import type { CheckpointPlace } from "./changeCheckpoint.ts";

export interface CheckpointRequestOptions {
  readonly keys: Pick<Keys, "sources" | "variables" | "recoverFromLaunchError"> & {
    readonly approvals: Pick<Keys["approvals"], "allowedOrigins">;
  };
  readonly server: Pick<Server, "request">;
}

/**
 * Sends a request, and repeats it after a missing key has been set or allowed. False if `send` returns null because the user canceled.
 * @throws Error from the server
 */
export async function askAt(
  place: CheckpointPlace,
  options: CheckpointRequestOptions,
  send: (launch: HandedKeys) => Promise<RequestOutcome<null> | null>,
): Promise<boolean> {
  for (;;) {
    const outcome = await send(await handedOver(place, options));
    if (outcome === null) return false;
    if (outcome.ok) return true;
    const isCauseRemoved =
      place.kind === "Tinker" &&
      (await options.keys.recoverFromLaunchError(outcome.error, place.project));
    if (!isCauseRemoved) throw new Error(outcome.error.message);
  }
}

/** Deleting something that does not exist is not an error. @throws Error from the server */
export async function changeWeights(
  place: CheckpointPlace,
  { paths, change }: { readonly paths: readonly string[]; readonly change: CheckpointChange },
  options: CheckpointRequestOptions,
): Promise<void> {
  await askAt(place, options, (launch) => {
    const service = place.kind === "Tinker" ? { launch, baseUrl: place.baseUrl } : null;
    const request: ChangeWeightsRequest = { paths, change, service };
    return options.server.request<RequestOutcome<null>>(CHECKPOINT_REQUESTS.change, request);
  });
}

/** Only the Tinker key, and only if Tinker is contacted; the server sends it to the host it is bound to or that the user allowed. */
async function handedOver(
  place: CheckpointPlace,
  { keys }: CheckpointRequestOptions,
): Promise<HandedKeys> {
  const isHosted = place.kind === "Tinker";
  const key = isHosted ? await keys.sources.valueFor("tinker") : null;
  return {
    keys: key === null ? {} : { TINKER_API_KEY: key },
    allowedOrigins: isHosted ? keys.approvals.allowedOrigins(place.project) : [],
    envFile: null,
    variables: serviceVariables(keys.variables()),
  };
}
