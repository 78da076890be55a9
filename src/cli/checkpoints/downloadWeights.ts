/** Downloads weights, with progress on the terminal. */

import { resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import { downloadOutput } from "../../core/outputs/checkpointsOutput.ts";
import { visibleLine } from "../../core/util/visibleText.ts";
import type { FormRequest } from "../../core/weights/forms/formRequest.ts";
import { namedRun } from "../../node/namedRun.ts";
import { formatBytes, formatDownload } from "../../shared/format.ts";
import { shellWords } from "../../shared/shellWords.ts";
import type { DownloadedWeights } from "../../trainer/checkpoints/downloadCheckpoint.ts";
import type { PlacesRequest } from "../../trainer/checkpoints/places.ts";
import type { CheckpointAction } from "../arguments/checkpointArguments.ts";
import type { TrainerProgram } from "../arguments/programOptions.ts";
import { requireRun } from "../arguments/requireRun.ts";
import { jsonLine } from "../terminal/asciiJson.ts";
import { untilInterrupt } from "../terminal/interrupts.ts";
import { type Invocation, shortPath } from "../terminal/invocation.ts";
import { BLANK, type Line, quietLine, styled } from "../terminal/line.ts";

/** An interrupt stops the download and keeps partial files. @throws from the trainer */
export async function downloadWeights(
  options: TrainerProgram,
  places: PlacesRequest,
  { source, name, output, form, wantsJson }: Extract<CheckpointAction, { action: "download" }>,
): Promise<void> {
  const { fileSystem, trainer, out, err, invocation } = options;
  const isAddress = source.startsWith("tinker://");
  const isRun = (await namedRun(fileSystem, source, invocation.cwd)) !== null;
  if (!isAddress && !isRun) await requireRun(fileSystem, resolve(invocation.cwd, source));
  const stopped = new AppError(
    "interrupted",
    "The download was stopped. What was downloaded stays in the folder, and the same command continues it.",
  );
  const download = (signal: AbortSignal): Promise<DownloadedWeights> =>
    trainer.downloadCheckpoint(fileSystem, {
      ...places,
      name,
      output,
      form: form === null ? undefined : { ...form, base: baseFolder(form, invocation) },
      signal,
      source: isAddress ? source : resolve(invocation.cwd, source),
      onExport: () => err.print([quietLine(exportText())]),
      onProgress: ({ name: file, receivedBytes, totalBytes }) =>
        err.showLive([formatDownload(file, receivedBytes, totalBytes)]),
    });
  const done = await untilInterrupt(options, download, stopped);
  out.print(wantsJson ? [jsonLine(downloadOutput.of(done))] : doneLines(done, invocation));
}

function baseFolder({ base }: FormRequest, { cwd }: Invocation): string | null {
  return base === null ? null : resolve(cwd, base);
}

function exportText(): string {
  return l10n.t(
    "Tinker exports the weights in a training session, which it may bill. Nothing is trained.",
  );
}

function doneLines(
  { path, folder, files, wereThere }: DownloadedWeights,
  { cwd }: Invocation,
): readonly Line[] {
  const where = shortPath(folder, cwd);
  return [
    [styled("strong", where)],
    quietLine(visibleLine(path)),
    ...(wereThere === true ? [quietLine(l10n.t("already downloaded"))] : []),
    ...files.map(({ name, sizeBytes }): Line => [`  ${name}  ${formatBytes(sizeBytes)}`]),
    BLANK,
    quietLine(l10n.t("Upload them to the Hugging Face Hub with its own program:")),
    [`  ${shellWords(["hf", "upload", "USER/NAME", where], process.platform === "win32")}`],
  ];
}
