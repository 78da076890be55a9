/** The command `runs`: lists runs with their phase and progress. */

import * as l10n from "@vscode/l10n";
import { runFields, runsOutput } from "../core/outputs/runsOutput.ts";
import type { FileSystem } from "../core/ports.ts";
import type { ListedRun } from "../core/runs/runList.ts";
import { runSentence } from "../core/runs/runSentence.ts";
import { SERVICES } from "../core/services.ts";
import { waitingUploads } from "../core/tracking/openreward/uploadLog.ts";
import { formatCost, formatLocalTime, formatReward, plural } from "../shared/format.ts";
import { phaseTexts } from "../shared/phaseTexts.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import type { RunsCommand } from "./arguments/resultsArguments.ts";
import { runsAt } from "./arguments/runParents.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { commandLine, shortPath } from "./terminal/invocation.ts";
import { BLANK, type Line, type LinePiece, quietLine, styled } from "./terminal/line.ts";
import { phasePiece } from "./terminal/phasePiece.ts";
import { type Column, tableLines } from "./terminal/table.ts";
import { wandbText } from "./terminal/wandbText.ts";

const IDLE: ReadonlySet<ListedRun["phase"]> = new Set([
  "failed",
  "stopped",
  "dropped",
  "interrupted",
]);

/** One table per folder that contains runs. @throws AppError `config-not-found`, `file-not-found`, `file-unreadable` */
export async function runListLines(
  options: ProgramOptions,
  { path, wantsJson }: RunsCommand,
): Promise<readonly Line[]> {
  const { fileSystem, invocation, out } = options;
  const { places, lists } = await runsAt(options, path);
  if (wantsJson) {
    return [jsonLine(runsOutput.of({ runs: lists.flatMap(({ runs }) => runs.map(runFields)) }))];
  }
  const lines: Line[] = [];
  for (const { parent, runs } of lists) {
    lines.push([styled("strong", shortPath(parent, invocation.cwd))]);
    lines.push(...(await runLines(fileSystem, runs, out.columns)), ...problemLines(runs));
    lines.push(...runs.flatMap(wandbLine), ...runs.flatMap(expiryLine), BLANK);
  }
  const newest = lists[0]?.runs[0];
  if (newest === undefined) {
    const next = l10n.t("Specify a folder of runs, a project or a configuration.");
    const shown = places.map((place) => shortPath(place, invocation.cwd)).join(", ");
    return [[l10n.t("There are no runs in {0}.", shown), ` ${next}`]];
  }
  const show = commandLine(invocation, "show", shortPath(newest.folder, invocation.cwd));
  const sentence = runSentence(newest);
  const newestLine = sentence === null ? [] : [[styled("strong", newest.name), `: ${sentence}`]];
  return [...lines, ...newestLine, quietLine(l10n.t("Look closer:")), [`  ${show}`]];
}

async function runLines(
  fileSystem: FileSystem,
  runs: readonly ListedRun[],
  width: number,
): Promise<readonly Line[]> {
  const waiting = await Promise.all(
    // One run's unreadable log must not hide the others; `show` reports the reason.
    runs.map(({ folder }) => waitingUploads(fileSystem.within(folder), folder).catch(() => null)),
  );
  const withCost = runs.some(({ used }) => used?.costUsd != null);
  if (waiting.every((count) => (count ?? 0) === 0)) {
    return tableLines(
      columns(withCost),
      runs.map((run) => runCells(run, withCost)),
      width,
    );
  }
  const rows = runs.map((run, index) => [
    ...runCells(run, withCost),
    String(waiting[index] ?? "–"),
  ]);
  return tableLines(
    [...columns(withCost), { title: l10n.t("to upload"), align: "right" }],
    rows,
    width,
  );
}

/** Why runs cannot be read. */
function problemLines(runs: readonly ListedRun[]): readonly Line[] {
  return runs.flatMap(({ problem }) => (problem === null ? [] : [[styled("bad", problem)]]));
}

/** For a finished run: what Weights & Biases has not received yet. */
function wandbLine({ name, pendingReports }: ListedRun): readonly Line[] {
  const unsent = wandbText(pendingReports);
  return unsent === null
    ? []
    : [[styled("warning", `${name}: ${SERVICES.wandb.label}: ${unsent}`)]];
}

/** For a run without a trainer: its last state may expire before it is resumed. */
function expiryLine({ name, phase, expiry }: ListedRun): readonly Line[] {
  if (expiry === null || !IDLE.has(phase)) return [];
  const at = formatMinute(expiry.atMs);
  const text =
    expiry.repeats === null
      ? l10n.t(
          "{0}: the last state expires at {1}; after that, nothing is left to resume from.",
          name,
          at,
        )
      : plural(
          expiry.repeats,
          "{1}: the last state expires at {2}; after that, a resume repeats {0} step.",
          "{1}: the last state expires at {2}; after that, a resume repeats {0} steps.",
          name,
          at,
        );
  return [[styled("warning", text)]];
}

function runCells(run: ListedRun, withCost: boolean): readonly LinePiece[] {
  const isEvaluation = run.file?.evaluation !== undefined;
  const state = phaseTexts()[run.phase];
  const phase = isEvaluation ? l10n.t("evaluation, {0}", state) : state;
  return [
    styled("strong", run.name),
    phasePiece(run.phase, phase),
    isEvaluation ? "–" : String(run.steps),
    formatReward(run.reward),
    ...(withCost ? [run.used?.costUsd == null ? "–" : formatCost(run.used.costUsd)] : []),
    run.startedAtMs === null ? "–" : formatMinute(run.startedAtMs),
    run.repeats === null ? "–" : String(run.repeats),
  ];
}

/** `2026-03-05 14:07`, in local time. */
function formatMinute(timeMs: number): string {
  return formatLocalTime(timeMs).slice(0, 16);
}

function columns(withCost: boolean): readonly Column[] {
  return [
    { title: l10n.t("run"), align: "left", canShrink: true },
    { title: l10n.t("phase"), align: "left", canShrink: true },
    { title: l10n.t("steps"), align: "right" },
    { title: l10n.t("reward"), align: "right" },
    ...(withCost ? [{ title: l10n.t("cost"), align: "right" } as const] : []),
    { title: l10n.t("last start"), align: "left" },
    { title: l10n.t("repeats"), align: "right" },
  ];
}
