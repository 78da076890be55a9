/** Routes of the checkpoint store: runs, checkpoints, publishing, expiry, deletion. */

import type { JsonObject } from "../../../../core/json.ts";
import { readAs, refusal } from "../../../http/refusal.ts";
import { jsonReply, noContent, type Reply } from "../../../http/reply.ts";
import { type Handler, jsonBody, type Routes, type ServiceRequest } from "../../../http/router.ts";
import { checkpointJson } from "../checkpoints/checkpointJson.ts";
import type { CheckpointUpdate } from "../checkpoints/checkpointStore.ts";
import {
  type CheckpointKey,
  checkpointKey,
  parseTinkerPath,
  tinkerPath,
} from "../checkpoints/tinkerPath.ts";
import { page } from "../http/paging.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { checkpointTtl, weightsInfo } from "../wire/schemas.ts";
import { findRun, listRuns } from "./trainingRuns.ts";

const DEFAULT_RUNS = 20;
const DEFAULT_CHECKPOINTS = 100;
const CHECKPOINT = "/training_runs/{run}/checkpoints/{kind}/{name}";

export function checkpointRoutes(options: ServiceContext): Routes {
  const { store } = options;
  return {
    "GET /training_runs": async ({ query }) => {
      const { items, cursor } = page(await listRuns(options), query, DEFAULT_RUNS);
      return jsonReply({ training_runs: items, cursor });
    },
    "GET /training_runs/{run}": async ({ params }) =>
      jsonReply(await findRun(options, params["run"] ?? "")),
    "GET /training_runs/{run}/checkpoints": async ({ params }) => {
      const run = await findRun(options, params["run"] ?? "");
      const records = await store.checkpointsOf(String(run["training_run_id"]));
      return jsonReply({ checkpoints: records.map(checkpointJson), cursor: null });
    },
    "GET /checkpoints": async ({ query }) => {
      const { items, cursor } = page(await store.allCheckpoints(), query, DEFAULT_CHECKPOINTS);
      return jsonReply({ checkpoints: items.map(checkpointJson), cursor });
    },
    "POST /weights_info": (request) => describeWeights(options, request),
    [`DELETE ${CHECKPOINT}`]: async ({ params }) => {
      const key = keyOf(params);
      if (!(await store.delete(key))) throw unknownCheckpoint(key);
      return noContent;
    },
    [`POST ${CHECKPOINT}/publish`]: changing(options, () => ({ isPublic: true })),
    [`DELETE ${CHECKPOINT}/publish`]: changing(options, () => ({ isPublic: false })),
    [`PUT ${CHECKPOINT}/ttl`]: changing(options, (request) => ({
      ttlSeconds: readTtl(jsonBody(request)),
    })),
    [`GET ${CHECKPOINT}/archive`]: notSupported("Checkpoint archives are"),
    "POST /copy_weights": notSupported("Copying weights is"),
  };
}

async function describeWeights({ store }: ServiceContext, request: ServiceRequest): Promise<Reply> {
  const key = parseTinkerPath(readAs(weightsInfo, jsonBody(request)).tinker_path);
  const record = await store.find(key);
  if (record === null) throw unknownCheckpoint(key);
  const { rank, ...flags } = record.lora;
  return jsonReply({
    base_model: record.base_model,
    optimizer_config: { type: "adamw" },
    is_lora: true,
    lora_rank: rank,
    ...flags,
  });
}

/** Changes are idempotent: on a 409, the SDK would retry for five minutes. */
function changing(
  { store }: ServiceContext,
  change: (request: ServiceRequest) => CheckpointUpdate,
): Handler {
  return async (request) => {
    const key = keyOf(request.params);
    const wanted = change(request);
    if ((await store.find(key)) === null) throw unknownCheckpoint(key);
    await store.change(key, wanted);
    return jsonReply({});
  };
}

function readTtl(body: JsonObject): number | null {
  const result = checkpointTtl.safeParse(body);
  if (!result.success) throw refusal(400, "ttl_seconds must be a positive number of seconds.");
  return result.data.ttl_seconds ?? null;
}

function keyOf(params: ServiceRequest["params"]): CheckpointKey {
  return checkpointKey(params["run"] ?? "", params["kind"] ?? "", params["name"] ?? "");
}

function unknownCheckpoint(key: CheckpointKey): Error {
  return refusal(404, `There is no checkpoint ${tinkerPath(key)}.`);
}

function notSupported(what: string): Handler {
  return () => {
    throw refusal(501, `${what} not supported by the local engine.`);
  };
}
