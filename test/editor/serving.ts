/** Services reached over the network with a key, like hosted ones. */

import { chained, renaming } from "../integration/tinkerServersGaps.ts";
import { type Filter, type Gateway, startGateway } from "../integration/tinkerServersProxy.ts";
import { startServing } from "../integration/trainProgram.ts";

/** Names beginning with `local/` are embedded, so the served model has another name of the same length. */
export const SERVED_MODEL = "Org/Tiny-tool-1";

const PREFIX = "/models";

/** Signed addresses lead through the gateway, too. */
const SIGNED_ADDRESSES: Filter = {
  request: (passing) => passing,
  answer: (answer) => {
    if (!answer.type.includes("json")) return answer;
    const address = /(?<=http:\/\/[\w.:]+)(?=\/api\/v1\/training_runs\/)/g;
    return { ...answer, body: Buffer.from(answer.body.toString().replace(address, PREFIX)) };
  },
};

export interface Services {
  readonly tinker: Gateway;
  readonly environments: Gateway;
  /** Options of both gateways. */
  readonly key: string;
  readonly stop: () => Promise<void>;
}

/** Starts `serve`, which keeps its checkpoints in `store`, and gateways that record requests. */
export async function startServices(store: string): Promise<Services> {
  const serving = await startServing(store);
  const tinker = await startGateway({
    upstream: serving.tinkerUrl,
    prefix: PREFIX,
    filter: chained(renaming("local/tiny-tool", SERVED_MODEL), SIGNED_ADDRESSES),
  });
  const environments = await startGateway({
    upstream: serving.environmentsUrl,
    prefix: "/environments",
  });
  const stop = async (): Promise<void> => {
    tinker.close();
    environments.close();
    await serving.stop();
  };
  return { tinker, environments, key: serving.key, stop };
}
