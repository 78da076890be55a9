/** A curriculum's state per task, from the run's last save. */

import * as l10n from "@vscode/l10n";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import type { RunReader } from "../../core/runFolder/reader.ts";
import {
  type CurriculumTask,
  readCurriculumTasks,
} from "../../core/training/tasks/curriculumTasks.ts";
import { formatCount } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import { taskId } from "../../shared/taskId.ts";
import { BLANK, type Line, type LinePiece, quietLine, styled } from "../terminal/line.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { newestRows, type ShowContext } from "./showContext.ts";

/** Tasks that were tried, most recently trained last. @throws AppError `state-invalid`, `state-format` */
export async function* showTasks(context: ShowContext): AsyncGenerator<Line, void> {
  const { fileSystem, folder, width, reader } = context;
  const known = await readCurriculumTasks(fileSystem, folder);
  if (known === null) {
    yield quietLine(l10n.t("This run has no `curriculum`, or has not saved yet."));
    return;
  }
  const sorted = known.tasks.toSorted((a, b) => a.step - b.step);
  const { rows, note } = newestRows(sorted, runPaths(folder).state);
  const draws = await countDraws(reader, known.completed);
  const cells = rows.map((task) => taskCells(task, draws.get(task.name) ?? 0));
  yield* [...note, ...tableLines(taskColumns(), cells, width), BLANK];
  yield quietLine(
    l10n.t(
      "success: expected of the next rollout. rollouts: those that still count; each visit leaves 0.6 of the earlier ones. draws: groups of the task that were played, trained on or not.",
    ),
  );
}

/** Number of stored groups per task, up to the save's completed steps. */
async function countDraws(
  reader: RunReader,
  completed: number,
): Promise<ReadonlyMap<string, number>> {
  const draws = new Map<string, number>();
  for (const step of await reader.steps()) {
    if (step >= completed) break;
    const groups = groupBy(await reader.rollouts(step), ({ group }) => group);
    for (const [first] of groups.values()) {
      if (first === undefined) continue;
      const name = taskId(first);
      draws.set(name, (draws.get(name) ?? 0) + 1);
    }
  }
  return draws;
}

function taskCells(
  { name, success, pool, rollouts, tokens, step }: CurriculumTask,
  draws: number,
): readonly LinePiece[] {
  return [
    name,
    styled("strong", success.toFixed(2)),
    poolText(pool),
    formatCount(draws),
    rollouts.toFixed(1),
    formatCount(tokens),
    String(step + 1),
  ];
}

function poolText(pool: CurriculumTask["pool"]): LinePiece {
  switch (pool) {
    case "open":
      return l10n.t("open");
    case "hard":
      return styled("warning", l10n.t("out of reach"));
    case "solved":
      return styled("quiet", l10n.t("solved"));
  }
}

function taskColumns(): readonly Column[] {
  return [
    { title: l10n.t("task"), align: "left", canShrink: true },
    { title: l10n.t("success"), align: "right" },
    { title: l10n.t("pool"), align: "left" },
    { title: l10n.t("draws"), align: "right" },
    { title: l10n.t("rollouts"), align: "right" },
    { title: l10n.t("tokens"), align: "right" },
    { title: l10n.t("last step"), align: "right" },
  ];
}
