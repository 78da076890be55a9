/** Downloads and changes saved weights for an editor. */

import { homedir } from "node:os";
import { type CancellationToken, ProgressType } from "vscode-languageserver";
import {
  CHECKPOINT_REQUESTS,
  changeWeightsSchema,
  downloadRequestSchema,
  type WeightsProgress,
} from "../api/checkpoints.ts";
import type { RequestOutcome } from "../api/requests.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { withLimit } from "../core/util/abort.ts";
import type { PlacesRequest } from "../trainer/checkpoints/places.ts";
import type { ServerOptions } from "./openRequests.ts";

/** Shortest time between two reports of progress. */
const PROGRESS_MS = 200;
/** For all that a change asks of a service. */
const CHANGE_LIMIT_MS = 10_000;
const DOWNLOADING = new ProgressType<WeightsProgress>();

export function serveCheckpoints(options: ServerOptions): void {
  const { connection, trainer, requests, clock, programFolder } = options;
  connection.onRequest<RequestOutcome<null>, void>(
    CHECKPOINT_REQUESTS.download,
    (request: unknown, token: CancellationToken) => {
      const { launch, progressToken, folder, form, ...weights } =
        downloadRequestSchema.parse(request);
      let reportedMs = Number.NEGATIVE_INFINITY;
      return requests.run(token, async ({ fileSystem, signal, redactor }) => {
        await trainer.downloadCheckpoint(fileSystem, {
          ...weights,
          source: folder,
          folder,
          form: form ?? undefined,
          programFolder,
          launchRequest: launch,
          allowedOrigins: launch.allowedOrigins,
          signal,
          redactor,
          onProgress: ({ name: file, receivedBytes, totalBytes }) => {
            const nowMs = clock.monotonic();
            if (nowMs - reportedMs < PROGRESS_MS && receivedBytes !== totalBytes) return;
            reportedMs = nowMs;
            const progress = { file, receivedBytes, totalBytes };
            // Rejects when the editor has left, which ends the download.
            connection.sendProgress(DOWNLOADING, progressToken, progress).catch(() => undefined);
          },
        });
        return null;
      });
    },
  );
  connection.onRequest<RequestOutcome<null>, void>(
    CHECKPOINT_REQUESTS.change,
    (request: unknown, token: CancellationToken) => {
      const { paths, change, service } = changeWeightsSchema.parse(request);
      return requests.run(token, async ({ fileSystem, signal, redactor }) => {
        const limit = { clock, limitMs: CHANGE_LIMIT_MS, onLimit: noAnswer, parents: [signal] };
        await withLimit(limit, async ({ signal: limited }) => {
          const place: PlacesRequest = {
            folder: homedir(),
            isLocalOnly: service === null,
            tinkerBaseUrl: service?.baseUrl,
            launchRequest: service?.launch,
            allowedOrigins: service?.launch.allowedOrigins ?? [],
            signal: limited,
            redactor,
          };
          for (const path of paths) {
            const changes = trainer.changeCheckpoints(fileSystem, {
              ...place,
              paths: [path],
              change,
            });
            await allOf(changes).catch((error: unknown) => {
              // Its state may be gone already while its sampler is not.
              if (change.action !== "delete" || !isAppError(error, "tinker-not-found")) throw error;
            });
          }
        });
        return null;
      });
    },
  );
}

async function allOf(changes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of changes);
}

function noAnswer(): AppError {
  return new AppError("timeout", `No answer within ${CHANGE_LIMIT_MS / 1000} seconds.`);
}
