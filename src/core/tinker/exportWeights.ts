/** Exports trained weights as files: `docs/protocols/tinker.md#exported-weights`. */

import { errorMessage } from "../errors.ts";
import { raceAbort } from "../util/abort.ts";
import type { ExportedFiles } from "./checkpoints.ts";
import { loadModel } from "./models.ts";
import { jsonOf } from "./operations.ts";
import { checkCheckpointName, parseTinkerPath } from "./paths.ts";
import { type Connection, connect, type TinkerOptions } from "./serviceClient.ts";
import type { FinishReason } from "./session.ts";
import { tinkerError } from "./transport/errors.ts";
import { savedPathSchema } from "./wire/wire.ts";

/** Long enough for a download, because the expiry is extended whenever addresses are requested. */
const EXPORT_TTL_S = 3600;

/** Requests new addresses; call it when the current ones are about to expire. @throws AppError `tinker-*` */
export type SignFiles = () => Promise<ExportedFiles>;

/**
 * Has the service export the weights at `path` to files, calls `use` with a function that signs their addresses, and then deletes
 * the files, even if `use` fails. For a path of kind `external_weights` the files already exist and are kept.
 * @throws AppError `tinker-*`, `tinker-invalid-input` for a path of kind `sampler_weights`; the reason of `signal`; whatever
 * `use` throws
 */
export async function withExportedFiles<Result>(
  options: TinkerOptions & { readonly signal?: AbortSignal | undefined },
  path: string,
  use: (sign: SignFiles) => Promise<Result>,
): Promise<Result> {
  const { kind } = parseTinkerPath(path);
  if (kind === "sampler_weights") throw notExportable(path);
  const connection = await connect(options);
  const { session, checkpoints } = connection;
  if (kind === "external_weights") return await use(() => checkpoints.exportedFiles(path));
  let reason: FinishReason = "errored";
  try {
    // Getting a model from the service can take minutes.
    const work = exportWeights(connection, path);
    const exported = await raceAbort(work, options.signal ?? session.signal);
    try {
      const result = await use(() => sign(connection, exported));
      reason = "success";
      return result;
    } finally {
      await removeExport(connection, exported);
    }
  } finally {
    if (options.signal?.aborted === true) reason = "interrupted";
    await session.finish(reason, null);
  }
}

/** Extends the export's expiry too, because the export must outlive its addresses. */
async function sign({ checkpoints }: Connection, path: string): Promise<ExportedFiles> {
  const files = await checkpoints.exportedFiles(path);
  await checkpoints.setCheckpointTtl(path, EXPORT_TTL_S);
  return files;
}

/** Only logs a failure, because the export also expires on its own. */
async function removeExport({ checkpoints, options }: Connection, path: string): Promise<void> {
  try {
    await checkpoints.deleteCheckpoint(path);
  } catch (error) {
    options.log.warn("Tinker: an export could not be deleted", { reason: errorMessage(error) });
  }
}

/** The service exports files only from a model, so this loads one from the state and never trains it. */
async function exportWeights(connection: Connection, path: string): Promise<string> {
  const { operations, options } = connection;
  const { info, queue } = await loadModel(connection, path, { optimizer: false });
  const name = `download-${options.random.uuid()}`;
  checkCheckpointName(name);
  const accepted = await queue.enqueue("save_weights_external", 1, (seqId) => {
    const body = {
      model_id: info.modelId,
      path: name,
      seq_id: seqId,
      ttl_seconds: EXPORT_TTL_S,
      type: "save_weights_external",
    };
    return operations.submit({ type: "SaveWeightsExternal", path: "save_weights_external", body });
  });
  return (await jsonOf(connection, accepted, savedPathSchema)).path;
}

function notExportable(path: string): Error {
  return tinkerError(
    "tinker-invalid-input",
    `${path} has weights for sampling, and Tinker exports only training states`,
    {},
    "Download the state of the same step, tinker://RUN/weights/NAME: the list of the run's checkpoints has both.",
  );
}
