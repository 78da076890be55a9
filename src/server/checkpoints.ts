/** Downloads and changes saved weights for an editor. */

import { homedir } from "node:os";
import { type CancellationToken, ProgressType } from "vscode-languageserver";
import {
  CHECKPOINT_REQUESTS,
  changeLocalSchema,
  downloadRequestSchema,
  type WeightsProgress,
} from "../api/checkpoints.ts";
import type { RequestOutcome } from "../api/requests.ts";
import type { ServerOptions } from "./openRequests.ts";

/** Shortest time between two reports of progress. */
const PROGRESS_MS = 200;
const DOWNLOADING = new ProgressType<WeightsProgress>();

export function serveCheckpoints({ connection, trainer, requests, clock }: ServerOptions): void {
  connection.onRequest<RequestOutcome<null>, void>(
    CHECKPOINT_REQUESTS.download,
    (request: unknown, token: CancellationToken) => {
      const { launch, progressToken, folder, ...weights } = downloadRequestSchema.parse(request);
      let reportedMs = Number.NEGATIVE_INFINITY;
      return requests.run(token, async ({ fileSystem, signal, redactor }) => {
        await trainer.downloadCheckpoint(fileSystem, {
          ...weights,
          source: folder,
          folder,
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
    CHECKPOINT_REQUESTS.changeLocal,
    (request: unknown, token: CancellationToken) => {
      const { paths, change } = changeLocalSchema.parse(request);
      return requests.run(token, async ({ fileSystem, redactor }) => {
        const local = { folder: homedir(), allowedOrigins: [], isLocalOnly: true, redactor };
        const changes = trainer.changeCheckpoints(fileSystem, { ...local, paths, change });
        for await (const _ of changes);
        return null;
      });
    },
  );
}
