/** A sweep's results, as a table for people and as JSON for programs. */

import { basename } from "node:path";
import * as l10n from "@vscode/l10n";
import { parseAssignment } from "../core/config/overrides.ts";
import { sweepOutput } from "../core/outputs/sweepOutput.ts";
import type { Grid } from "../core/sweeps/grid.ts";
import { combinationName, isStaged, settingsByKey } from "../core/sweeps/planSweep.ts";
import { formatCost, formatDuration, formatMeasure, formatReward } from "../shared/format.ts";
import type { SweepEffects } from "../shared/sweepEffects.ts";
import type { SweepBasis } from "../shared/sweepResult.ts";
import {
  basisText,
  combinationsText,
  effectText,
  leftOutText,
  shortKey,
  sweepSentence,
  sweptStateText,
} from "../shared/sweepText.ts";
import type { SweepResult } from "./sweepResults.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { type Invocation, shortPath } from "./terminal/invocation.ts";
import { BLANK, type Line, type LinePiece, labelled, quietLine, styled } from "./terminal/line.ts";
import { phasePiece } from "./terminal/phasePiece.ts";
import { type Column, tableLines } from "./terminal/table.ts";

export interface NamedResults {
  readonly name: string;
  /** The folder that holds the runs. */
  readonly parent: string;
  readonly grid: Grid;
  readonly results: readonly SweepResult[];
  readonly by: SweepBasis;
  readonly effects: SweepEffects;
  /** True if runs stop early, so that their results say little about a setting. */
  readonly isHalved: boolean;
}

/** One row per run, errors of failed runs, and which setting mattered. */
export function sweepTable(
  { name, parent, grid, results, by, effects, isHalved }: NamedResults,
  { cwd }: Invocation,
  width: number,
): readonly Line[] {
  // Results of different stages are not comparable.
  const basis: SweepBasis = isStaged({ grid }) ? { kind: "reward" } : by;
  const measured = measuredColumns(results, basis);
  const rows = results.map((result): readonly LinePiece[] => [
    ...result.settings.map(valueText),
    stateCell(result),
    String(result.steps),
    ...measured.map(({ cell }) => cell(result)),
    result.totalS === 0 ? "–" : formatDuration(result.totalS),
    ...(hasCosts(results) ? [result.costUsd === null ? "–" : formatCost(result.costUsd)] : []),
    result.folder === null ? "–" : basename(result.folder),
  ]);
  const problems = results.flatMap(({ settings, problem }) =>
    problem === null ? [] : [[styled("bad", `${combinationName({ settings })}: ${problem}`)]],
  );
  const place = shortPath(parent, cwd);
  if (isStaged({ grid })) {
    const stage: Column = { title: l10n.t("stage"), align: "left" };
    return [
      [styled("strong", l10n.t("stages {0} in {1}", name, place))],
      ...tableLines([stage, ...columns(measured, hasCosts(results))], rows, width),
      ...problems,
    ];
  }
  const keys = grid.map(({ key }): Column => ({ title: key, align: "left" }));
  return [
    [styled("strong", l10n.t("sweep {0} in {1}", name, place))],
    ...tableLines([...keys, ...columns(measured, hasCosts(results))], rows, width),
    ...problems,
    ...(isHalved ? [] : effectLines(by, effects)),
  ];
}

function hasCosts(results: readonly SweepResult[]): boolean {
  return results.some(({ costUsd }) => costUsd !== null);
}

/** Empty while no run has a result, and if only the seed varies. */
function effectLines(by: SweepBasis, effects: SweepEffects): readonly Line[] {
  const { settings, runs } = effects;
  if (runs === 0 || settings.length === 0) return [];
  const keys = settings.map(({ key }) => key);
  const shown = (key: string): string => shortKey(key, keys);
  const notes = [basisText(by), combinationsText(effects), leftOutText(effects)].filter(
    (note) => note !== null,
  );
  return [
    BLANK,
    [styled("strong", sweepSentence(effects, shown))],
    // With a single setting, the sentence already includes its share.
    ...(settings.length < 2 ? [] : settings).map((effect) =>
      labelled(shown(effect.key), effectText(effect)),
    ),
    ...notes.map((note): Line => quietLine(note)),
  ];
}

/** One JSON object on one line. */
export function sweepJson({ name, results, by, effects: { settings } }: NamedResults): Line {
  const runs = results.map(({ settings, ...result }) => ({
    settings: settingsByKey(settings),
    ...result,
  }));
  const effects = settings.map(({ key, share }) => ({
    setting: key,
    share: share?.share ?? null,
    low: share?.low ?? null,
    high: share?.high ?? null,
  }));
  return jsonLine(sweepOutput.of({ sweep: name, runs, comparedBy: comparedBy(by), effects }));
}

function comparedBy(by: SweepBasis) {
  switch (by.kind) {
    case "evaluation":
      return { field: "evaluatedReward", evaluation: by.cell, step: by.step } as const;
    case "reward":
      return { field: "recentReward", evaluation: null, step: null } as const;
    default:
      return { field: "loss", evaluation: null, step: null } as const;
  }
}

function stateCell({ state, left }: SweepResult): LinePiece {
  if (state === "not-started") return l10n.t("not started");
  return phasePiece(state, sweptStateText(state, left));
}

function valueText(setting: string): string {
  return parseAssignment(setting)?.value ?? "";
}

interface MeasuredColumn {
  readonly title: string;
  readonly cell: (result: SweepResult) => string;
}

/** Some stages may train on rewards and others on examples. */
function measuredColumns(
  results: readonly SweepResult[],
  by: SweepBasis,
): readonly MeasuredColumn[] {
  const losses = results.filter(({ loss }) => loss !== null).length;
  const rewards = [
    ...(by.kind === "evaluation"
      ? [
          {
            title: l10n.t("evaluation at {0}", by.step),
            cell: ({ evaluatedReward }: SweepResult) => formatReward(evaluatedReward),
          },
        ]
      : []),
    {
      title: l10n.t("last 5"),
      cell: ({ recentReward }: SweepResult) => formatReward(recentReward),
    },
    {
      title: l10n.t("best of 5"),
      cell: ({ bestReward }: SweepResult) => formatReward(bestReward),
    },
  ];
  const loss = { title: l10n.t("loss"), cell: ({ loss }: SweepResult) => formatMeasure(loss) };
  const isAllLoss = losses > 0 && results.every(({ lastReward }) => lastReward === null);
  return [...(isAllLoss ? [] : rewards), ...(losses > 0 ? [loss] : [])];
}

function columns(measured: readonly MeasuredColumn[], hasCost: boolean): readonly Column[] {
  return [
    { title: l10n.t("state"), align: "left" },
    { title: l10n.t("steps"), align: "right" },
    ...measured.map(({ title }): Column => ({ title, align: "right" })),
    { title: l10n.t("time"), align: "right" },
    ...(hasCost ? [{ title: l10n.t("cost"), align: "right" } as const] : []),
    { title: l10n.t("folder"), align: "left" },
  ];
}
