/** The command `checkpoints`: deletes saved weights and prints their addresses. */

import { visibleLine } from "../core/util/visibleText.ts";
import { l10n } from "../shared/l10n.ts";
import type { CheckpointsCommand } from "./arguments.ts";
import type { ProgramOptions } from "./programOptions.ts";

/** Prints a line for each deleted checkpoint. @throws as the trainer does; checkpoints that were printed before stay deleted */
export async function deleteCheckpoints(
  { fileSystem, trainer, out }: Pick<ProgramOptions, "fileSystem" | "trainer" | "out">,
  { kind: _, ...wanted }: CheckpointsCommand,
): Promise<void> {
  const request = { ...wanted, folder: process.cwd() };
  for await (const { path, place } of trainer.deleteCheckpoints(fileSystem, request)) {
    const what =
      place === null ? l10n.t("not on this computer") : l10n.t("deleted from {0}", place);
    out.print([[`${what}: ${visibleLine(path)}`]]);
  }
}
