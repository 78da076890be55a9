/** What the server is asked about weights, each time with the one key that this may take. */

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
 * Sends a request, and sends it again once a key that was missing is set or may go there. False when `send` answers null because the user
 * ended it. @throws what the server says
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

/** Nothing to delete is no fault. @throws what the server says */
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

/** The key of Tinker alone, where Tinker is asked; the server sends it to the host that it is bound to, or that the user allowed. */
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
