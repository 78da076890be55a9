/** Routes that serve exported weights as files: `docs/protocols/tinker.md#exported-weights`. */

import { createHmac, randomBytes } from "node:crypto";
import { refusal } from "../../../http/refusal.ts";
import { jsonReply } from "../../../http/reply.ts";
import type { Routes, ServiceRequest } from "../../../http/router.ts";
import { sameSecret } from "../../../http/sameSecret.ts";
import { peftFiles } from "../../peftFolder.ts";
import { type CheckpointKey, checkpointKey, tinkerPath } from "../checkpoints/tinkerPath.ts";
import { fileReply } from "../http/byteRange.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";

const ADDRESSES_VALID_MS = 60 * 60_000;
const EXPORT = "/training_runs/{run}/checkpoints/external_weights/{name}";
const FILE = `${EXPORT}/files/{file}`;

interface ExportRoutes {
  readonly routes: Routes;
  /** Routes that check a signature instead of a key, like signed storage URLs. */
  readonly signedRoutes: Routes;
}

export function exportRoutes({ store, clock }: ServiceContext): ExportRoutes {
  const secret = randomBytes(32);
  const signature = (key: CheckpointKey, file: string, expires: string): string =>
    createHmac("sha256", secret)
      .update(JSON.stringify([key, file, expires]))
      .digest("hex");

  const filesOf = async (key: CheckpointKey): Promise<ReadonlyMap<string, Uint8Array>> => {
    if ((await store.find(key)) === null) throw refusal(404, `There is no ${tinkerPath(key)}.`);
    const { record, bytes } = await store.read(key);
    return peftFiles({ baseModel: record.base_model, rank: record.lora.rank, bytes });
  };

  return {
    routes: {
      [`GET ${EXPORT}/external_weights_urls`]: async (request) => {
        const key = keyOf(request);
        const names = [...(await filesOf(key)).keys()];
        const expires = new Date(clock.now() + ADDRESSES_VALID_MS).toISOString();
        const folder = `http://${request.header("host")}/api/v1/training_runs/${encodeURIComponent(key.runId)}/checkpoints/external_weights/${key.name}/files`;
        const addressOf = (file: string): string => {
          const query = new URLSearchParams({ expires, signature: signature(key, file, expires) });
          return `${folder}/${file}?${query}`;
        };
        const urls = Object.fromEntries(names.map((file) => [file, addressOf(file)]));
        return jsonReply({ urls, expires });
      },
    },
    signedRoutes: {
      [`GET ${FILE}`]: async (request) => {
        const key = keyOf(request);
        const { params, query } = request;
        const [file = "", expires = ""] = [params["file"], query.get("expires") ?? ""];
        const isSigned = sameSecret(query.get("signature") ?? "", signature(key, file, expires));
        if (!isSigned || Date.parse(expires) < clock.now()) {
          throw refusal(403, "The address has expired or does not belong to this server.");
        }
        const bytes = (await filesOf(key)).get(file);
        if (bytes === undefined) throw refusal(404, `There is no file ${file}.`);
        return fileReply(request, bytes);
      },
    },
  };
}

function keyOf({ params }: Pick<ServiceRequest, "params">): CheckpointKey {
  return checkpointKey(params["run"] ?? "", "external_weights", params["name"] ?? "");
}
