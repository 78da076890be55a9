/** The commands `export` and `collect`: write rollouts as a dataset. */

import { basename, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import type { RolloutChoice } from "../core/examples/chooseRollouts.ts";
import { formatCount, plural } from "../shared/format.ts";
import { exportRollouts, requireEmpty } from "../trainer/examples/exportRollouts.ts";
import type { RunEnd } from "../trainer/plan/types.ts";
import type { ProgramOptions, TrainerProgram } from "./arguments/programOptions.ts";
import { requireRuns } from "./arguments/requireRun.ts";
import type { CollectCommand, ExportCommand } from "./arguments/resultsArguments.ts";
import { shortPath } from "./terminal/invocation.ts";
import { labelled } from "./terminal/line.ts";
import { followRun } from "./train.ts";

/** @throws AppError `run-not-found`, `no-examples`, `folder-not-empty`, `disk` */
export async function exportRuns(
  options: ProgramOptions,
  { folders: given, starred, tags, ...command }: ExportCommand,
): Promise<void> {
  const { fileSystem, invocation } = options;
  const folders = await requireRuns(
    fileSystem,
    given.map((folder) => resolve(invocation.cwd, folder)),
  );
  const { where, maxPerTask } = command;
  await writeData(options, folders, { where, maxPerTask, starred, tags }, command);
}

/**
 * Resolves when the tasks are played and the filtered rollouts are written. @throws AppError from the evaluation or {@link exportRuns};
 * `folder-not-empty` before anything is played
 */
export async function collect(options: TrainerProgram, command: CollectCommand): Promise<RunEnd> {
  const { trainer } = options;
  const { model, configPath, samples, tasks, overrides, where, maxPerTask } = command;
  const { allowedOrigins } = command;
  const request = {
    owner: "terminal",
    models: [model],
    configPath,
    splits: [],
    isCollecting: true,
    overrides: [
      ...overrides,
      `evaluation.rollouts_per_task=${samples}`,
      `evaluation.num_samples=${tasks ?? "null"}`,
      "evaluation.temperatures=[1]",
    ],
    allowedOrigins,
  } as const;
  if (command.output !== null) {
    // Check before playing, which may cost money.
    await requireEmpty(options.fileSystem, resolve(options.invocation.cwd, command.output));
  }
  const end = await followRun(
    options,
    (watch) => trainer.startEvaluation({ ...request, watch }),
    l10n.t("stopping: finished rollouts are kept; press Ctrl+C again to end immediately"),
  );
  if (end.outcome === "done" && end.folder !== null) {
    const choice = { where, maxPerTask, starred: false, tags: [] };
    await writeData(options, [end.folder], choice, command);
  }
  return end;
}

async function writeData(
  { fileSystem, invocation, out }: ProgramOptions,
  folders: readonly string[],
  choice: RolloutChoice,
  { format, output: given, license }: Pick<ExportCommand, "format" | "output" | "license">,
): Promise<void> {
  const name = `${basename(folders[0] ?? "")}-data`;
  const output = resolve(invocation.cwd, given ?? name);
  const { rows, tasks, doubles, unsaid, unpaired } = await exportRollouts({
    fileSystem,
    folders,
    choice,
    format,
    output,
    license,
  });
  const counts = Object.entries(rows).map(([split, count]) => `${split} ${formatCount(count)}`);
  out.print([
    labelled(l10n.t("rows"), counts.join(", ")),
    labelled(l10n.t("tasks"), formatCount(tasks)),
    ...(doubles === 0
      ? []
      : [[plural(doubles, "{0} duplicate skipped", "{0} duplicates skipped")]]),
    ...(unsaid === 0
      ? []
      : [
          [
            plural(
              unsaid,
              "{0} rollout with an image, an oversized tool, an empty turn, an unreadable call or several conversations left out; --format tokens has it",
              "{0} rollouts with an image, an oversized tool, an empty turn, an unreadable call or several conversations left out; --format tokens has them",
            ),
          ],
        ]),
    ...(unpaired === 0
      ? []
      : [
          [
            plural(
              unpaired,
              "{0} group with different rewards gives no pair",
              "{0} groups with different rewards give no pair",
            ),
          ],
        ]),
    labelled(l10n.t("folder"), shortPath(output, invocation.cwd)),
  ]);
}
