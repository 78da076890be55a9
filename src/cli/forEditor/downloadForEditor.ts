/** How the program downloads weights for an editor: a request with keys over standard input, lines of JSON as the reply. */

import { weightsRequestSchema } from "../../node/control/messages.ts";
import type { WeightsReply } from "../../shared/control.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { stopSignal } from "../checkpoints/downloadWeights.ts";
import { asciiJson } from "../terminal/asciiJson.ts";
import { exitCodeOf } from "../terminal/exitCode.ts";
import { launchError, readRequest } from "./launch.ts";

/** Shortest time between two lines of progress. */
const PROGRESS_MS = 200;

/** Answers the request on standard input and resolves with the exit code. @throws AppError `bad-arguments` when there is none */
export async function downloadForEditor({
  fileSystem,
  input,
  out,
  trainer,
  clock,
  interrupts,
}: Pick<
  ProgramOptions,
  "fileSystem" | "input" | "out" | "trainer" | "clock" | "interrupts"
>): Promise<number> {
  const request = await readRequest(input, weightsRequestSchema, "--download");
  const { launch, folder, name, output, isLocalOnly } = request;
  const reply = (what: WeightsReply): void => out.print([[asciiJson(what)]]);
  let reportedMs = Number.NEGATIVE_INFINITY;
  const stop = stopSignal(interrupts);
  try {
    await trainer.downloadCheckpoint(fileSystem, {
      source: folder,
      name,
      output,
      isLocalOnly,
      folder,
      launchRequest: launch,
      allowedOrigins: launch.allowedOrigins,
      signal: stop.signal,
      onProgress: ({ name: file, receivedBytes, totalBytes }) => {
        const nowMs = clock.monotonic();
        if (nowMs - reportedMs < PROGRESS_MS && receivedBytes !== totalBytes) return;
        reportedMs = nowMs;
        reply({ file, receivedBytes, totalBytes });
      },
    });
    reply({ ok: true, folder: output });
    return EXIT.done;
  } catch (error) {
    reply({ ok: false, error: launchError(error) });
    return exitCodeOf(error);
  } finally {
    stop.release();
  }
}
