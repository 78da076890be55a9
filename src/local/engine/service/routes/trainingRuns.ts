/** Training runs for listings: those in this process, and those that left checkpoints. */

import type { JsonObject } from "../../../../core/json.ts";
import { refusal } from "../../../http/refusal.ts";
import { checkpointJson } from "../checkpoints/checkpointJson.ts";
import type {
  CheckpointRecord,
  TrainingRunRecord,
  UserMetadata,
} from "../checkpoints/checkpointRecord.ts";
import { isRunId } from "../checkpoints/tinkerPath.ts";
import type { TrainedModel } from "../models/trainedModel.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";

interface Run {
  readonly id: string;
  readonly baseModel: string;
  readonly rank: number;
  readonly lastRequestMs: number;
  readonly userMetadata: UserMetadata;
}

/** Most recently used first. */
export async function listRuns(options: ServiceContext): Promise<readonly JsonObject[]> {
  const { engine, models, store } = options;
  const live = models.list().filter((model) => model.isReady);
  const liveIds = new Set(live.map((model) => model.id));
  const stored = (await store.runs()).filter((record) => !liveIds.has(record.run_id));
  const runs = [
    ...live.map((model) => liveRun(model, engine.model.name)),
    ...stored.map(storedRun),
  ].toSorted((a, b) => b.lastRequestMs - a.lastRequestMs);
  return Promise.all(runs.map((run) => runJson(options, run)));
}

/** @throws AppError `http-refused` 404 */
export async function findRun(options: ServiceContext, runId: string): Promise<JsonObject> {
  const { engine, models, store } = options;
  const model = models.find(runId);
  if (model?.isReady) return runJson(options, liveRun(model, engine.model.name));
  const record = isRunId(runId) ? await store.run(runId) : null;
  if (record === null) throw refusal(404, `There is no training run ${runId}.`);
  return runJson(options, storedRun(record));
}

function liveRun(model: TrainedModel, baseModel: string): Run {
  const { id, userMetadata, lastRequestMs } = model;
  return { id, baseModel, rank: model.lora.rank, lastRequestMs, userMetadata };
}

function storedRun(record: TrainingRunRecord): Run {
  return {
    id: record.run_id,
    baseModel: record.base_model,
    rank: record.lora.rank,
    lastRequestMs: Date.parse(record.last_request_time),
    userMetadata: record.user_metadata,
  };
}

async function runJson({ store }: ServiceContext, run: Run): Promise<JsonObject> {
  const checkpoints = await store.checkpointsOf(run.id);
  const newest = (kind: CheckpointRecord["kind"]) => {
    const record = checkpoints.find((candidate) => candidate.kind === kind);
    return record === undefined ? null : checkpointJson(record);
  };
  return {
    training_run_id: run.id,
    base_model: run.baseModel,
    model_owner: "local",
    is_lora: true,
    corrupted: false,
    lora_rank: run.rank,
    last_request_time: new Date(run.lastRequestMs).toISOString(),
    last_checkpoint: newest("weights"),
    last_sampler_checkpoint: newest("sampler_weights"),
    user_metadata: run.userMetadata,
  };
}
