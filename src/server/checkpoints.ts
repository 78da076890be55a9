/** Downloads and changes checkpoints for the editor. */

import { homedir } from "node:os";
import {
  CHECKPOINT_REQUESTS,
  changeWeightsSchema,
  downloadRequestSchema,
  type WeightsProgress,
} from "../api/checkpoints.ts";
import { AppError } from "../core/errors.ts";
import { withLimit } from "../core/util/abort.ts";
import type { PlacesRequest } from "../trainer/checkpoints/places.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";

/** Minimum time between progress reports. */
const PROGRESS_MS = 200;
/** Limit for all requests of one change. */
const CHANGE_LIMIT_MS = 10_000;

export function serveCheckpoints(server: ServerOptions): void {
  const { connection, trainer, clock, programFolder } = server;
  answerRequests(
    server,
    CHECKPOINT_REQUESTS.download,
    downloadRequestSchema,
    async (
      { launch, progressToken, folder, form, ...weights },
      { fileSystem, signal, redactor },
    ) => {
      let reportedMs = Number.NEGATIVE_INFINITY;
      const report = reporterTo<WeightsProgress>(connection, progressToken);
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
          report({ file, receivedBytes, totalBytes });
        },
      });
      return null;
    },
  );
  answerRequests(
    server,
    CHECKPOINT_REQUESTS.change,
    changeWeightsSchema,
    async ({ paths, change, service }, { fileSystem, signal, redactor }) => {
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
        // The state may already be gone while the sampler weights still exist.
        const request = { ...place, paths, change, mayBeGone: true };
        for await (const _ of trainer.changeCheckpoints(fileSystem, request));
      });
      return null;
    },
  );
}

function noAnswer(): AppError {
  return new AppError(
    "timeout",
    `The service did not answer within ${CHANGE_LIMIT_MS / 1000} seconds. Check the network, then try again.`,
  );
}
