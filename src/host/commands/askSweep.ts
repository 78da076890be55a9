/** Asks for a sweep (an earlier one or a new one) and the number of parallel runs; then shows what would start. */

import * as vscode from "vscode";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { lastOfEach, splitValues } from "../../core/config/overrideWords.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { expectationOf } from "../../core/config/rules/expectation.ts";
import { isJsonObject } from "../../core/json.ts";
import { countCombinations } from "../../core/sweeps/grid.ts";
import { countSettings, halvedShare, halvingFault, keptRows } from "../../core/sweeps/halving.ts";
import { combinationName, planSweep, type SweepRequest } from "../../core/sweeps/planSweep.ts";
import { type KnownSweep, listSweeps } from "../../core/sweeps/sweepFile.ts";
import { actionFor, type SweepRow } from "../../core/sweeps/sweepRuns.ts";
import { type LoadedSweep, loadSweep, type SweepPorts } from "../../node/loadSweep.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { runParent } from "../../node/runPaths.ts";
import { formatPercent, plural } from "../../shared/format.ts";
import { phaseTexts } from "../../shared/phaseTexts.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { TrainTask } from "../task/trainTask.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { asObject } from "./askOverrides.ts";
import { askSettings, assignments, type Chosen } from "./askSettings.ts";
import { plainDoc, sweepableSettings } from "./tunableSettings.ts";

/** What the user wants of a sweep. */
export interface AskedSweep {
  readonly task: SweepTask;
  /** Number of runs to start or resume. */
  readonly runs: number;
  /** True to see what they would cost before any of them starts. */
  readonly wantsEstimate: boolean;
}

/** A sweep's task definition, apart from its configuration. */
type SweepTask = Required<Pick<TrainTask, "grid" | "parallel" | "retryFailed" | "overrides">> &
  Pick<TrainTask, "halve" | "sweep">;

/** Number of settings from which the user is asked whether the worse half stops early. */
const MANY_SETTINGS = 4;
/** Number of rows that still fit in a dialog. */
const SHOWN_RUNS = 12;

export interface AskSweepOptions extends SweepPorts {
  readonly config: vscode.Uri;
  /** Id of the earlier sweep to continue; undefined = ask. */
  readonly continues: string | undefined;
  /** Overrides from the setting, for the configuration. */
  readonly settingOverrides: readonly string[];
}

/** Undefined if the user canceled. @throws AppError `file-unreadable` */
export async function askSweep(options: AskSweepOptions): Promise<AskedSweep | undefined> {
  const chosen = await chooseSweep(options);
  if (chosen === undefined) return undefined;
  const { grid, overrides, id } = chosen;
  const { rows, plan, sweep } = await loadSweep(options, {
    configPath: options.config.fsPath,
    grid: assignments(grid),
    overrides: id === undefined ? lastOfEach(options.settingOverrides) : overrides,
    halve: chosen.halve ?? null,
  });
  if (id !== undefined && sweep.file.id !== id) {
    const text = vscode.l10n.t(
      "This sweep began with another run_name. Undo that change, or start a new sweep.",
    );
    await plainWindow.showWarningMessage(text);
    return undefined;
  }
  const halve = chosen.halve === undefined ? await askHalving(rows) : chosen.halve;
  if (halve === undefined) return undefined;
  const kept = keptRows(rows, sweep.file);
  const parallel = await askParallel(kept);
  if (parallel === undefined) return undefined;
  const answer = await confirm({ rows: kept, plan }, { parallel, halve });
  if (answer === undefined) return undefined;
  const { retryFailed, ...wanted } = answer;
  const task = {
    grid: Object.fromEntries(grid),
    parallel,
    retryFailed,
    overrides: asObject(overrides),
    ...withoutUndefined({ halve: halve ?? undefined, sweep: id }),
  };
  return { task, ...wanted };
}

interface ChosenSweep {
  /** Undefined for a new sweep. */
  readonly id: string | undefined;
  /** Comma-separated values by key. */
  readonly grid: ReadonlyMap<string, string>;
  /** Those that an earlier sweep began with; a new one takes those of the setting. */
  readonly overrides: readonly string[];
  /** As in {@link SweepArguments}; undefined for a new sweep, whose user is asked. */
  readonly halve: number | null | undefined;
}

/** An earlier sweep, or a new one. */
async function chooseSweep(options: AskSweepOptions): Promise<ChosenSweep | undefined> {
  const known = await knownSweeps(options);
  const named = known.find(({ file }) => file.id === options.continues);
  if (named !== undefined) return earlierSweep(named);
  if (known.length === 0) return newSweep(options);
  const fresh = {
    icon: "add",
    label: vscode.l10n.t("New Sweep"),
    description: "",
    sweep: null,
  };
  const items = known.map((sweep) => ({
    icon: "debug-rerun",
    label: vscode.l10n.t("Continue {0}", sweep.file.name),
    description: sweep.file.grid.map(({ key, values }) => `${key}=${values.join(",")}`).join(" "),
    sweep,
  }));
  const picked = await plainWindow.showQuickPick([fresh, ...items], {
    title: vscode.l10n.t("Start Sweep"),
    placeHolder: vscode.l10n.t("Which sweep?"),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  return picked.sweep === null ? newSweep(options) : earlierSweep(picked.sweep);
}

function earlierSweep({ file: { id, grid, overrides, halve } }: KnownSweep): ChosenSweep {
  return {
    id,
    grid: new Map(grid.map(({ key, values }) => [key, values.join(",")])),
    overrides,
    halve,
  };
}

async function newSweep(options: AskSweepOptions): Promise<ChosenSweep | undefined> {
  const path = options.config.fsPath;
  const text = await options.fileSystem.readText(path);
  const grid = await askGrid({ text, path, overrides: options.settingOverrides });
  return grid === undefined ? undefined : { id: undefined, grid, overrides: [], halve: undefined };
}

async function knownSweeps({
  fileSystem,
  config: { fsPath },
  settingOverrides: overrides,
}: AskSweepOptions): Promise<readonly KnownSweep[]> {
  const result = parseConfig(await fileSystem.readText(fsPath), { path: fsPath, overrides });
  if (!result.ok) return [];
  const all = await listSweeps(fileSystem, runParent(result.config, fsPath));
  return all.filter((sweep) => isOfConfig(sweep, fsPath));
}

/** Steps after which only the better half goes on; null to train all runs to their end; undefined if the user canceled. */
async function askHalving(rows: readonly SweepRow[]): Promise<number | null | undefined> {
  // Fewer settings save too little.
  const settings = countSettings(rows);
  if (settings < MANY_SETTINGS) return null;
  const all = {
    icon: "check-all",
    label: vscode.l10n.t("Train All Runs to Their End"),
    detail: vscode.l10n.t("Shows which setting mattered."),
    halves: false,
  };
  const half = {
    icon: "filter",
    label: vscode.l10n.t("Stop the Worse Half Early"),
    detail: vscode.l10n.t(
      "Finds good settings for less: again and again, only the better half goes on.",
    ),
    halves: true,
  };
  const picked = await plainWindow.showQuickPick([all, half], {
    title: vscode.l10n.t("Start Sweep"),
    ignoreFocusOut: true,
  });
  if (picked === undefined || !picked.halves) return picked === undefined ? undefined : null;
  const planned = rows.map(({ combination }) => combination.config.max_steps ?? 0);
  const answer = await plainWindow.showInputBox({
    title: vscode.l10n.t("Start Sweep"),
    prompt: vscode.l10n.t("Steps after which the worse half stops for the first time."),
    value: String(Math.max(2, Math.ceil(Math.max(10, ...planned) / settings))),
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^\d+$/.test(value) && Number(value) >= 2
        ? (halvingFault(rows, Number(value)) ?? undefined)
        : vscode.l10n.t("Enter a whole number from 2."),
  });
  return answer === undefined ? undefined : Number(answer);
}

/** Number of runs in parallel; undefined if the user canceled. */
async function askParallel(rows: readonly SweepRow[]): Promise<number | undefined> {
  const open = rows.filter((row) => actionFor(row, true) !== "skip").length;
  if (open < 2) return 1;
  const isLocal = rows.some(({ combination }) => isLocalModel(combination.config.model_name));
  const answer = await plainWindow.showInputBox({
    title: vscode.l10n.t("Start Sweep"),
    prompt: isLocal
      ? vscode.l10n.t(
          "Concurrent runs, 1 to {0}. Local runs share the processors of this computer, so each takes longer than alone.",
          open,
        )
      : vscode.l10n.t("Concurrent runs, 1 to {0}.", open),
    value: "1",
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= open
        ? undefined
        : vscode.l10n.t("Enter a whole number from 1 to {0}.", open),
  });
  return answer === undefined ? undefined : Number(answer);
}

type Confirmation = Pick<AskedSweep, "runs" | "wantsEstimate"> & Pick<SweepTask, "retryFailed">;

/** Undefined if the user does not want to start. */
async function confirm(
  { rows, plan }: Pick<LoadedSweep, "rows" | "plan">,
  { parallel, halve }: { readonly parallel: number; readonly halve: number | null },
): Promise<Confirmation | undefined> {
  const count = (retriesFailed: boolean): number =>
    rows.filter((row) => ["start", "resume"].includes(actionFor(row, retriesFailed))).length;
  const [open, withFailed] = [count(false), count(true)];
  const detail = [
    ...(halve === null ? [] : [halvingText(rows, halve)]),
    runList(rows, plan.sharedOverrides),
  ].join("\n");
  const options = { modal: true, detail };
  if (withFailed === 0) {
    const nothing = vscode.l10n.t("There is nothing left to start in this sweep.");
    await plainWindow.showInformationMessage(nothing, options);
    return undefined;
  }
  const runs = open || withFailed;
  const text =
    parallel === 1
      ? plural(runs, "Start {0} run?", "Start {0} runs, one after another?")
      : vscode.l10n.t("Start {0} runs, {1} at a time?", runs, parallel);
  const start = vscode.l10n.t("Start Sweep");
  const retry = vscode.l10n.t("Start and Retry Failed");
  const estimate = vscode.l10n.t("Estimate Cost");
  // An estimate covers whole runs, not what is left of them.
  const isNew = rows.every(({ run }) => run === null);
  const buttons = [
    ...(open > 0 ? [start] : []),
    ...(withFailed > open ? [retry] : []),
    ...(isNew ? [estimate] : []),
  ];
  const chosen = await plainWindow.showInformationMessage(text, options, ...buttons);
  if (chosen === undefined) return undefined;
  return { runs, retryFailed: chosen === retry, wantsEstimate: chosen === estimate };
}

function halvingText(rows: readonly SweepRow[], halve: number): string {
  const isNew = rows.every(({ run }) => run === null);
  const share = isNew ? halvedShare(rows, halve) : null;
  return share === null
    ? vscode.l10n.t("The worse half stops after step {0}, and so on.", halve)
    : vscode.l10n.t(
        "The worse half stops after step {0}, and so on: about {1} of the steps that an estimate covers are trained.",
        halve,
        formatPercent(share),
      );
}

/** One line per run, with its phase if it exists. */
function runList(rows: readonly SweepRow[], sharedOverrides: readonly string[]): string {
  const shared = sharedOverrides.join(" ");
  const lines = rows.slice(0, SHOWN_RUNS).map(({ combination, run }) => {
    const text = combinationName(combination);
    return run === null ? text : `${text}: ${phaseTexts()[run.phase]}`;
  });
  const left = rows.length - lines.length;
  const all = shared === "" ? [] : [vscode.l10n.t("All runs: {0}", shared)];
  return [...all, ...lines, ...(left > 0 ? [vscode.l10n.t("… and {0} more", left)] : [])].join(
    "\n",
  );
}

function halvingHint(): string {
  return vscode.l10n.t(
    "With {0} or more settings to compare, the worse half can stop early.",
    MANY_SETTINGS,
  );
}

/** Comma-separated values by key; undefined if the user canceled. Validated like the sweep itself. */
async function askGrid(configuration: Omit<SweepRequest, "grid">): Promise<Chosen | undefined> {
  const result = parseConfig(configuration.text, configuration);
  const values: unknown = result.ok ? result.config : null;
  return askSettings({
    settings: isJsonObject(values) ? sweepableSettings(values) : [],
    title: vscode.l10n.t("Start Sweep"),
    placeHolder: ({ size }) =>
      size === 0
        ? vscode.l10n.t("Which setting varies?")
        : vscode.l10n.t("Which other setting varies?"),
    ignoreFocusOut: true,
    row: (_, entered) => ({ description: entered, icon: "list-flat" }),
    done: (chosen) => {
      const grid = [...chosen].map(([key, values]) => ({ key, values: splitValues(values) }));
      const runs = countCombinations(grid);
      const compared = countCombinations(grid.filter(({ key }) => key !== "seed"));
      return {
        label: plural(runs, "Continue with {0} Run", "Continue with {0} Runs"),
        description: assignments(chosen).join(" "),
        detail: compared < MANY_SETTINGS ? halvingHint() : "",
      };
    },
    prompt: ({ field }) =>
      vscode.l10n.t(
        "{0} Expected: {1}. Separate values with commas; leave empty to keep the setting.",
        plainDoc(field),
        expectationOf(field),
      ),
    unchanged: () => "",
    fault: (chosen) => {
      const check = planSweep({ ...configuration, grid: assignments(chosen) });
      return check.ok ? undefined : check.problems[0]?.message;
    },
  });
}
