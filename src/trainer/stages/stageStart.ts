/** What a stage is given at its start: the runs of earlier stages, and their remaining share of a common budget. */

import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { checkText } from "../../core/config/check.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { lastOfEach } from "../../core/config/overrideWords.ts";
import { namedWeights } from "../../core/config/rules/namedWeights.ts";
import { referencedStage, stageOfWeights } from "../../core/config/rules/stageRules.ts";
import {
  budgetKey,
  type StageBudgets,
  sharedBudgets,
  stageNames,
} from "../../core/config/stages.ts";
import { trainedSplits } from "../../core/config/taskChoices.ts";
import type { ErrorCode } from "../../core/errorCodes.ts";
import { AppError } from "../../core/errors.ts";
import { DRY_RUN_SUFFIX } from "../../core/estimate/pastRun.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import { readPriceFile } from "../../core/runFolder/priceFile.ts";
import { readUsage } from "../../core/runFolder/usageLog.ts";
import { type ListedRun, listRuns } from "../../core/runs/runList.ts";
import { beginsWithBase, stageConfig } from "../../core/sweeps/planStages.ts";
import { isStaged } from "../../core/sweeps/planSweep.ts";
import { type KnownSweep, listSweeps } from "../../core/sweeps/sweepFile.ts";
import { type UsedTotal, usedTotal } from "../../core/usage/prices.ts";
import { systemClock } from "../../node/clock.ts";
import { isProcessAlive } from "../../node/processes.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { runParent, writtenPath } from "../../node/runPaths.ts";
import type { StartConfig } from "../../node/startConfig.ts";
import { formatKey } from "../../shared/format.ts";
import { sum } from "../../shared/mean.ts";
import { type SweepMember, stageOf } from "../../shared/runFile.ts";

interface StageRequest {
  readonly start: StartConfig;
  readonly config: Config;
  /** The group of stages that its run belongs to; absent for a stage trained alone. */
  readonly member: SweepMember | undefined;
  /** Overrides for a resume in addition to the run's own; a budget among them is used as is. Absent = none. */
  readonly resumedWith?: readonly string[] | undefined;
}

/**
 * The start of a stage with the runs it builds on and its remaining budget; any other start is returned as is.
 * @throws AppError `stages-together` for several stages at once, `stage-not-run` if an earlier stage is not done,
 * `cost-budget`, `token-budget`, `time-budget` if nothing is left
 */
export async function stageStart(
  fileSystem: FileSystem,
  { start, config, member, resumedWith = [] }: StageRequest,
): Promise<StartConfig> {
  const { path } = start;
  requireOneStage(config);
  if (config.stage === null) return start;
  // Choosing a stage removes the others, so the names are read without a choice.
  const names = stageNames(checkText(start.text, { path, overrides: ["stage=null"] }).written);
  // A run's own copy of its configuration contains no other stages.
  if (!names.includes(config.stage)) return start;
  const parent = runParent(config, path);
  const chains = await chainsOf(fileSystem, parent, { path, member });
  const runs = await runsOfStages(fileSystem, parent, { path, member, chains });
  const [chain] = chains;
  const added = [
    ...(start.folder === null ? earlierRuns(start, { config, path, names, runs }) : []),
    ...(member === undefined || chain === undefined
      ? []
      : await leftBudgets(fileSystem, { start, config, path, chain, runs, resumedWith })),
  ];
  if (added.length === 0) return start;
  return { ...start, overrides: lastOfEach([...start.overrides, ...added]) };
}

/** @throws AppError `stages-together` */
export function requireOneStage({ stages }: Config): void {
  if (stages === null) return;
  const names = Object.keys(stages);
  throw new AppError(
    "stages-together",
    `The configuration has the stages ${names.join(", ")}, which are separate runs. Choose one of them, with --stage=${names[0]} or \`stage: ${names[0]}\` in the file.`,
    { configPath: "stages" },
  );
}

/** The stage groups that the run belongs to; for a stage alone, all groups trained from the file, newest first. */
async function chainsOf(
  fileSystem: FileSystem,
  parent: string,
  { path, member }: { readonly path: string; readonly member: SweepMember | undefined },
): Promise<readonly KnownSweep[]> {
  const known = await listSweeps(fileSystem, parent);
  return known.filter(({ file }) =>
    member === undefined ? isStaged(file) && isOfConfig({ file }, path) : file.id === member.id,
  );
}

interface StageRun extends ListedRun {
  readonly stage: string;
}

/** The runs of `chains`, plus runs of single stages if this one is trained alone; newest first. */
async function runsOfStages(
  fileSystem: FileSystem,
  parent: string,
  {
    path,
    member,
    chains,
  }: {
    readonly path: string;
    readonly member: SweepMember | undefined;
    readonly chains: readonly KnownSweep[];
  },
): Promise<readonly StageRun[]> {
  const ids = new Set(chains.map(({ file }) => file.id));
  const liveness = { nowMs: systemClock.now(), isProcessAlive };
  const runs: StageRun[] = [];
  for (const run of await listRuns(fileSystem, parent, liveness)) {
    const { sweep } = run.file ?? {};
    const isAlone = sweep === undefined && member === undefined && isOfConfig(run, path);
    const own = isAlone ? await stageAlone(fileSystem, run) : null;
    const stage = ids.has(sweep?.id ?? "") ? stageOf(sweep) : own;
    if (stage !== null) runs.push({ ...run, stage });
  }
  return runs;
}

/** The stage of a standalone run; null if the run is not a stage. */
async function stageAlone(
  fileSystem: FileSystem,
  { folder, file }: ListedRun,
): Promise<string | null> {
  const resolved = await readResolvedConfig(fileSystem.within(folder), folder);
  const trained = trainedAs.safeParse(resolved).data;
  if (trained === undefined || trained.run_name?.endsWith(DRY_RUN_SUFFIX) === true) return null;
  // An evaluation leaves no weights to start from; a collecting stage plays the training splits.
  const isCollected =
    trained.method === "collect" &&
    isDeepStrictEqual(trained.evaluation?.splits, trainedSplits(trained.environments));
  return file?.evaluation === undefined || isCollected ? (trained.stage ?? null) : null;
}

const splits = z.record(z.string(), z.unknown());
const trainedAs = z.object({
  stage: z.string().nullish(),
  method: z.string().nullish(),
  run_name: z.string().nullish(),
  evaluation: z.object({ splits: z.record(z.string(), z.array(z.string())) }).nullish(),
  environments: z.record(z.string(), z.object({ splits })).catch({}),
});

interface Stage {
  readonly config: Config;
  readonly path: string;
  /** Names of all stages. */
  readonly names: readonly string[];
  /** Newest first. */
  readonly runs: readonly StageRun[];
}

/** Overrides with the folders of earlier stages. */
function earlierRuns(start: StartConfig, { config, path, names, runs }: Stage): readonly string[] {
  const earlier = names.slice(0, names.indexOf(config.stage ?? ""));
  const folderOf = (name: string): string => {
    const done = runs.find(({ phase, stage }) => phase === "done" && stage === name);
    if (done === undefined) throw notRun(config.stage ?? "", name);
    return writtenPath(done.folder, path);
  };
  const trains = (name: string): boolean => {
    const other = stageConfig(start, name);
    return other !== null && other.method !== "collect";
  };
  // With `auto`, this is a new run because there was none to continue.
  const findsNone = config.resume_from === "auto";
  const resumes = config.resume_from !== null && !findsNone;
  const hasStart = config.init_from !== null || resumes || beginsWithBase(start);
  const before = hasStart ? undefined : earlier.findLast(trains);
  const weights = namedWeights(config).flatMap(({ path: key, given }) => {
    const other = stageOfWeights(given);
    if (other === null) return [];
    return [`${formatKey(key)}=${JSON.stringify(`${folderOf(other.stage)}${other.at}`)}`];
  });
  const data = config.data.map((source) => {
    const other = referencedStage(source.run);
    return other === null ? source : { ...source, run: folderOf(other) };
  });
  const isNamed = config.data.some(({ run }) => referencedStage(run) !== null);
  const begins = before !== undefined || referencedStage(config.init_from) !== null;
  return [
    ...(before === undefined ? [] : [`init_from=${JSON.stringify(folderOf(before))}`]),
    ...weights,
    ...(begins && findsNone ? ["resume_from=null"] : []),
    ...(isNamed ? [`data=${JSON.stringify(data)}`] : []),
  ];
}

function notRun(stage: string, earlier: string): AppError {
  return new AppError(
    "stage-not-run",
    `Stage ${stage} starts from the result of stage ${earlier}, and no run of that stage is done. Train all stages, or name another start with init_from.`,
    { configPath: "stages" },
  );
}

const BUDGETS: Readonly<Record<keyof StageBudgets, ErrorCode>> = {
  max_cost_usd: "cost-budget",
  max_tokens_total: "token-budget",
  max_hours: "time-budget",
};

/** Overrides with what remains of the common budgets after the stages' other runs. */
async function leftBudgets(
  fileSystem: FileSystem,
  {
    start,
    config,
    path,
    chain,
    runs,
    resumedWith,
  }: Pick<Stage, "config" | "path" | "runs"> & {
    readonly start: StartConfig;
    readonly chain: KnownSweep;
    readonly resumedWith: readonly string[];
  },
): Promise<readonly string[]> {
  const { overrides } = chain.file;
  const budgets = sharedBudgets(start.text, { path, overrides });
  const own = start.folder === null ? null : resolve(start.folder);
  const others = runs.filter(({ folder }) => resolve(folder) !== own);
  const spent = await Promise.all(others.map((run) => spentBy(fileSystem, run)));
  const used: StageBudgets = {
    max_cost_usd: sum(spent.map(({ costUsd }) => costUsd ?? 0)),
    max_tokens_total: sum(spent.map(({ tokens }) => tokens)),
    max_hours: sum(spent.map(({ hours }) => hours)),
  };
  // A resumed run stores the remainder from its start, so the stage's own limit is read from the current file.
  const limits = stageConfig({ text: start.text, path, overrides }, config.stage ?? "");
  return (Object.keys(BUDGETS) as (keyof StageBudgets)[]).flatMap((key) => {
    const budget = budgets[key];
    if (budget === null || resumedWith.some((text) => budgetKey(text) === key)) return [];
    const left = budget - (used[key] ?? 0);
    if (left <= 0) throw usedUp(key, budget);
    return [`${key}=${Math.min(left, limits?.[key] ?? left)}`];
  });
}

interface Spent extends UsedTotal {
  readonly hours: number;
}

/** From the usage log, which also covers killed runs and runs in progress. */
async function spentBy(fileSystem: FileSystem, { folder }: ListedRun): Promise<Spent> {
  const files = fileSystem.within(folder);
  const { training, evaluation, seconds } = await readUsage(files, folder);
  const prices = (await readPriceFile(files, folder))?.prices ?? null;
  return { ...usedTotal({ cumulative: training, evaluation }, prices), hours: seconds / 3600 };
}

function usedUp(key: keyof StageBudgets, budget: number): AppError {
  return new AppError(
    BUDGETS[key],
    `The stages have used up their budget (${key}: ${budget}). To continue with the next one, raise ${key}.`,
    { configPath: key },
  );
}
