/** Loads a sweep from its configuration and grid: its runs, which of them exist, and what is left to do. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { checkText } from "../core/config/check.ts";
import type { Config } from "../core/config/fields/schema.ts";
import { parseConfig } from "../core/config/parse.ts";
import { runAtStep } from "../core/config/rules/namedWeights.ts";
import { stageOfWeights } from "../core/config/rules/stageRules.ts";
import type { Teacher } from "../core/config/rules/teachers.ts";
import { AppError } from "../core/errors.ts";
import type { Clock, FileSystem, Log } from "../core/ports.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import type { ListedRun } from "../core/runs/runList.ts";
import { halvingFault } from "../core/sweeps/halving.ts";
import { beginsWithBase, planStages } from "../core/sweeps/planStages.ts";
import {
  describeSweepProblem,
  isStaged,
  planSweep,
  type SweepPlan,
  type SweepRequest,
  sweepName,
} from "../core/sweeps/planSweep.ts";
import { isSameSweep, type KnownSweep, listSweeps } from "../core/sweeps/sweepFile.ts";
import { claimSweep, type NewSweep, type SweepLease } from "../core/sweeps/sweepLease.ts";
import { type SweepRow, sweepRows } from "../core/sweeps/sweepRuns.ts";
import { isProcessAlive } from "./processes.ts";
import { runName, runParent, writtenPath } from "./runPaths.ts";
import { requireWeights } from "./savedWeights.ts";
import { settingsOfRun } from "./settingsOfRun.ts";
import { readConfig, startConfig } from "./startConfig.ts";

export interface SweepPorts {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}

export interface SweepArguments {
  readonly configPath: string;
  /** Each `key=value,value`. */
  readonly grid: readonly string[];
  /** Each `key=value`; applied to all runs. */
  readonly overrides: readonly string[];
  /** Steps after which only the better half goes on, see `core/sweeps/halving.ts`; null = all runs train to their end. */
  readonly halve: number | null;
}

export interface LoadedSweep {
  /** Absolute. */
  readonly configPath: string;
  readonly plan: SweepPlan;
  /** The folder that holds its runs. */
  readonly parent: string;
  /** The sweep as an earlier start left it, or a new one. */
  readonly sweep: KnownSweep | NewSweep;
  /** One row per combination. */
  readonly rows: readonly SweepRow[];
}

/**
 * Reads and validates the whole grid, and finds what an earlier start left. Writes nothing.
 * @throws AppError `config-invalid` with a line per problem, `config-not-found`, `file-unreadable`; `bad-arguments` if `halve` cannot drop
 * any run
 */
export async function loadSweep(
  ports: SweepPorts,
  { configPath: given, grid, overrides, halve }: SweepArguments,
): Promise<LoadedSweep> {
  const { fileSystem } = ports;
  const configPath = resolve(given);
  const text = await readConfig(fileSystem, given);
  const { plan, first } = checkedSweep({ text, path: given, grid, overrides });
  const parent = runParent(first.config, configPath);
  const own = runName({ ...first.config, stage: null }, configPath);
  const file = {
    schemaVersion: 1,
    id: randomUUID(),
    name: sweepName(own, plan),
    runName: own,
    configPath,
    grid: plan.grid,
    overrides: plan.sharedOverrides,
    halve,
    rungs: [],
  } as const;
  const all = await listSweeps(fileSystem, parent);
  const known = all.find((other) => isSameSweep(other.file, file));
  const rows = await currentRows(ports, { plan, parent, id: known?.file.id ?? null });
  const fault = halve === null ? null : halvingFault(rows, halve);
  if (fault !== null) throw new AppError("bad-arguments", `--halve ${halve}: error: ${fault}`);
  const sweep =
    known === undefined
      ? { parent, file }
      : { ...known, file: { ...known.file, overrides: file.overrides, halve } };
  return { configPath, plan, parent, sweep, rows };
}

/** The runs of a grid or, without one, the stages of a file. @throws AppError `config-invalid` with a line per problem */
export function checkedSweep(request: SweepRequest) {
  const isWithoutGrid = request.grid.length === 0 && hasStages(request.text, request);
  const check = isWithoutGrid ? planStages(request) : planSweep(request);
  const [first] = check.ok ? check.plan.combinations : [];
  if (check.ok && first !== undefined) return { plan: check.plan, first };
  const lines = check.ok ? [] : check.problems.map(describeSweepProblem);
  throw new AppError("config-invalid", lines.join("\n"), { data: { problems: lines.length } });
}

/** True if starting the configuration trains several stages. */
export function hasStages(
  text: string,
  options: { readonly path: string; readonly overrides: readonly string[] },
): boolean {
  const { repaired } = checkText(text, options);
  return repaired !== null && repaired.config.stages !== null;
}

/** The current rows; `id` null = nothing has been started. */
export function currentRows(
  { fileSystem, clock }: SweepPorts,
  { plan, parent, id }: Pick<LoadedSweep, "plan" | "parent"> & { readonly id: string | null },
): Promise<readonly SweepRow[]> {
  return sweepRows(fileSystem, plan, { parent, id }, { nowMs: clock.now(), isProcessAlive });
}

export interface BegunSweep {
  readonly lease: SweepLease;
  /** The current rows: another process may have worked on the sweep since it was loaded. */
  readonly rows: readonly SweepRow[];
}

/**
 * Claims the sweep for this process, which then starts its runs.
 * @throws AppError `sweep-in-use`; `config-identity` if a run was started with settings other than the rest would have; `run-not-found` or
 * `no-such-checkpoint` if a run to be started refers to missing weights
 */
export async function beginSweep(
  ports: SweepPorts & { readonly log: Log },
  loaded: LoadedSweep,
): Promise<BegunSweep> {
  const { fileSystem } = ports;
  const { configPath, sweep } = loaded;
  const own = { pid: process.pid, host: hostname() };
  // Checked before a new sweep creates its folder.
  await requireAllWeights(await rowsToBegin(fileSystem, loaded), configPath);
  const lease = await claimSweep({ ...ports, isProcessAlive, own }, sweep);
  try {
    const current = await currentRows(ports, { ...loaded, id: lease.file.id });
    return { lease, rows: await rowsToBegin(fileSystem, { ...loaded, rows: current }) };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function requireAllWeights(rows: readonly SweepRow[], configPath: string): Promise<void> {
  for (const { run, combination } of rows) {
    if (run === null) await requireWeights(combination.config, configPath);
  }
}

/**
 * The rows, with `run` set to null if a run produced nothing and would now have other settings; a new run then replaces it in a folder of
 * its own. Otherwise runs must not differ by more than the swept settings, because they are compared.
 * @throws AppError `config-identity`
 */
async function rowsToBegin(
  fileSystem: FileSystem,
  { plan, rows, configPath }: Pick<LoadedSweep, "plan" | "rows" | "configPath">,
): Promise<readonly SweepRow[]> {
  const begun: SweepRow[] = [];
  for (const row of rows) {
    const { run } = row;
    const changed =
      run === null ? [] : await changedSettings(fileSystem, row, { plan, rows, configPath }, run);
    const [first] = changed;
    if (run === null || first === undefined) {
      begun.push(row);
      continue;
    }
    if (await hasNothing(fileSystem, run)) {
      begun.push({ ...row, run: null });
      continue;
    }
    const keys = changed.join(", ");
    const isFollowed = rows.slice(rows.indexOf(row) + 1).some((later) => later.run !== null);
    const message = isStaged(plan)
      ? `${keys} changed since ${run.name} was trained${isFollowed ? ", and later stages rest on it" : ""}. Undo the change, or train all stages again with another run_name.`
      : `${keys} changed since the sweep began with ${run.name}, so its runs could no longer be compared. Undo the change, or start another sweep with another run_name.`;
    throw new AppError("config-identity", `${configPath}: error: ${message}`, {
      configPath: first,
    });
  }
  return begun;
}

/** True for a run that ended before its first step and save, or, for a stage that collects rollouts, before its first rollout. */
async function hasNothing(
  fileSystem: FileSystem,
  { folder, phase, steps, file }: ListedRun,
): Promise<boolean> {
  const hasEnded = phase === "failed" || phase === "stopped" || phase === "interrupted";
  if (!hasEnded || steps > 0) return false;
  const files = fileSystem.within(folder);
  const { checkpoints, evalFolder } = runPaths(folder);
  if ((await files.size(checkpoints)) !== null) return false;
  return file?.evaluation === undefined || (await files.list(evalFolder)).length === 0;
}

/** Keys of settings that would now have other values. */
async function changedSettings(
  fileSystem: FileSystem,
  row: SweepRow,
  { plan, rows, configPath }: Pick<LoadedSweep, "plan" | "rows" | "configPath">,
  { folder, phase }: ListedRun,
): Promise<readonly string[]> {
  // A run that is being prepared has not written its settings yet.
  if (phase === "preparing") return [];
  const { text, path, overrides } = await startConfig(fileSystem, {
    resume: folder,
    named: { configPath, overrides: [] },
    overrides: [],
  });
  const parsed = parseConfig(text, { path, overrides });
  // Resuming the run reports what is wrong.
  if (!parsed.ok) return [];
  const begun = parsed.config;
  const start = isStaged(plan)
    ? await startOfStage(fileSystem, row, { text, rows, configPath, begun })
    : {};
  const files = fileSystem.within(folder);
  const { changes } = await settingsOfRun(files, folder, { ...begun, ...start });
  // Runs stop where the sweep says.
  return changes.map(({ path }) => path).filter((path) => path !== "stop_at_step");
}

type StartOfStage = Pick<
  Config,
  "data" | "environments" | "init_from" | "kl_reference" | "teacher"
>;

/**
 * What a stage would start from now. The overrides of its run, included in `begun`, refer to runs of other stages and hide what the file
 * says there. A deleted run does not count as a change, because it is trained again in its place.
 */
async function startOfStage(
  fileSystem: FileSystem,
  { combination: { index, config, overrides } }: SweepRow,
  {
    text,
    rows,
    configPath,
    begun,
  }: Pick<LoadedSweep, "rows" | "configPath"> & { readonly text: string; readonly begun: Config },
): Promise<StartOfStage> {
  const folderOf = async (row: SweepRow | undefined, was: unknown): Promise<string | null> => {
    if (row?.run != null) return writtenPath(row.run.folder, configPath);
    if (row === undefined || typeof was !== "string" || was.startsWith("tinker://")) return null;
    const folder = resolve(dirname(configPath), runAtStep(was)?.folder ?? was);
    const isThere = (await fileSystem.size(runPaths(folder).resolvedConfig)) !== null;
    return isThere ? null : was;
  };
  const resolved = async (value: string | null, was: unknown): Promise<string | null> => {
    const other = stageOfWeights(value);
    if (other === null) return value;
    const row = rows.find(({ combination }) => combination.config.stage === other.stage);
    const folder = await folderOf(row, was);
    return row?.run == null || folder === null ? folder : `${folder}${other.at}`;
  };
  const data = config.data.map(async (source, position) => ({
    ...source,
    run: await resolved(source.run, begun.data[position]?.run ?? null),
  }));
  const before = rows
    .slice(0, index)
    .findLast((row) => row.combination.config.method !== "collect");
  const { init_from: from, kl_reference: reference, environments, teacher } = config;
  const taught = async (now: Teacher | null, was: Teacher | null): Promise<Teacher | null> => {
    if (now === null) return null;
    const checkpoint = await resolved(now.checkpoint, was?.checkpoint ?? null);
    return { ...(was ?? now), model: now.model, checkpoint };
  };
  const taughtEnvironments = Object.entries(begun.environments).map(async ([name, own]) => {
    const now = environments[name]?.teacher ?? null;
    return [name, { ...own, teacher: await taught(now, own.teacher) }] as const;
  });
  const isBase = beginsWithBase({ text, path: configPath, overrides });
  return {
    data: await Promise.all(data),
    init_from: await (from === null
      ? folderOf(isBase ? undefined : before, begun.init_from)
      : resolved(from, begun.init_from)),
    kl_reference: (await resolved(reference, begun.kl_reference)) ?? reference,
    teacher: await taught(teacher, begun.teacher),
    environments: Object.fromEntries(await Promise.all(taughtEnvironments)),
  };
}
