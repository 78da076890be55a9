/** Files of trained weights: `docs/protocols/tinker.md#exported-weights`. */

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

/** Long enough for a download, because each request for addresses is followed by a new expiry. */
const EXPORT_TTL_S = 3600;

/** Asks for the addresses again; call when they are about to expire. @throws AppError `tinker-*` */
export type SignFiles = () => Promise<ExportedFiles>;

/**
 * Has the service make files of the weights at `path`, hands `use` the way to their addresses, and removes the files afterward, also
 * when `use` fails. For a path of kind `external_weights` these files exist, and stay.
 * @throws AppError `tinker-*`, `tinker-invalid-input` for a path of kind `sampler_weights`; the reason of `signal`; what `use` throws
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
    // The service may let a model wait for minutes.
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

/** The export must outlive its addresses. */
async function sign({ checkpoints }: Connection, path: string): Promise<ExportedFiles> {
  const files = await checkpoints.exportedFiles(path);
  await checkpoints.setCheckpointTtl(path, EXPORT_TTL_S);
  return files;
}

/** A failure is logged only, because the export expires by itself. */
async function removeExport({ checkpoints, options }: Connection, path: string): Promise<void> {
  try {
    await checkpoints.deleteCheckpoint(path);
  } catch (error) {
    options.log.warn("Tinker: an export could not be deleted", { reason: errorMessage(error) });
  }
}

/** The service needs a model to make files of: one that is loaded from the state and never trained. */
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
