/** The trainer's interface: starts or resumes a run and returns a handle. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isAppError } from "../core/errors.ts";
import type { FileSystem, Log } from "../core/ports.ts";
import { readRunFile } from "../core/runFolder/runFile.ts";
import { startRun } from "../core/runFolder/runFolder.ts";
import type { RunLease } from "../core/runFolder/runLease.ts";
import { redactingLog } from "../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../core/secrets/redaction/redactor.ts";
import { RunControl } from "../core/training/run/control.ts";
import { raceAbort } from "../core/util/abort.ts";
import { systemClock } from "../node/clock.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { runName, runParent } from "../node/runPaths.ts";
import { requireWeights } from "../node/savedWeights.ts";
import { type StartConfig, startConfig } from "../node/startConfig.ts";
import { DRY_RUN_GROUPS } from "../shared/dryRun.ts";
import type { SweepMember } from "../shared/runFile.ts";
import { type LoadedConfig, loadStart } from "./config/configFiles.ts";
import { loadNamed } from "./config/requireNamed.ts";
import { ControlChannel } from "./control/controlChannel.ts";
import { executeDryRun } from "./estimate/dryRun.ts";
import { estimateFromRun, estimateSupervised, pastRunOf } from "./estimate/estimate.ts";
import { estimateSweep } from "./estimate/estimateSweep.ts";
import { BASE, defaultWords, evaluatedModels } from "./evaluation/evaluatedModels.ts";
import { evaluateModels } from "./evaluation/evaluateModels.ts";
import { collectingStart, loadEvaluation } from "./evaluation/loadEvaluation.ts";
import { createClient, startPosition } from "./models/createModel.ts";
import type { RunPlan, TrainerOptions } from "./plan/runPlan.ts";
import type {
  ActiveRun,
  DryRunRequest,
  EstimateRequest,
  EvaluateRequest,
  ResumeRequest,
  RunEnd,
  RunRequest,
  TrainRequest,
} from "./plan/types.ts";
import { planResume, recoverWith } from "./resume/resume.ts";
import { executeRun } from "./run/run.ts";
import { withNotifications } from "./run/withNotifications.ts";
import { CleanupStack } from "./services/cleanupStack.ts";
import { debugLog } from "./services/debugLog.ts";
import { estimateStages } from "./stages/estimateStages.ts";
import { requireOneStage, stageStart } from "./stages/stageStart.ts";

/** How long an immediate end waits for its record. */
const END_MS = 1_000;

/** Trains a new run, or continues one with `resume_from: auto` or a run folder. */
export function startTraining(request: TrainRequest): ActiveRun {
  const { configPath, overrides = [] } = request;
  return launch(request, async (options, fileSystem) => {
    const start = await startConfig(fileSystem, { configPath, overrides });
    return trainFrom(start, request, { options, fileSystem });
  });
}

/** Continues a run from its last confirmed checkpoint. */
export function resumeTraining(request: ResumeRequest): ActiveRun {
  const { folder: resume, overrides = [], named } = request;
  return launch(request, async (options, fileSystem) => {
    const start = await startConfig(fileSystem, { resume, overrides, named });
    return trainFrom(start, request, { options, fileSystem });
  });
}

/** Plays the rollouts of the first step; see {@link executeDryRun}. */
export function startDryRun(request: DryRunRequest): ActiveRun {
  const { configPath, overrides = [] } = request;
  return launch(request, async (options, fileSystem) => {
    const start = await startConfig(fileSystem, { configPath, overrides });
    const { groups, isKept, onPlayed } = request;
    const loaded = await loadNamed(start, options);
    requireOneStage(loaded.config);
    const planOf = (other: LoadedConfig) => planNewRun(fileSystem, request, other);
    return executeDryRun(options, { loaded, planOf, groups, isKept, onPlayed });
  });
}

/** Estimates training from a past run or from newly played groups; covers all runs of a grid, or all stages of a staged configuration. */
export function startEstimate(request: EstimateRequest): ActiveRun {
  const { configPath, overrides = [] } = request;
  return launch(request, async (options, fileSystem) => {
    const start = await startConfig(fileSystem, { configPath, overrides });
    const { from, groups: wanted, grid = [], onEstimate } = request;
    const planOf = (other: LoadedConfig) => planNewRun(fileSystem, request, other);
    const given = { start, fileSystem, planOf, from, groups: wanted, onEstimate };
    if (grid.length > 0) return estimateSweep(options, { ...given, grid });
    const loaded = await loadNamed(start, options);
    const { stages, stage } = loaded.config;
    const names = stages === null ? [stage ?? []].flat() : Object.keys(stages);
    if (names.length > 0) return estimateStages(options, { ...given, names });
    await requireWeights(loaded.config, loaded.path);
    const past = wanted === null ? await pastRunOf(fileSystem, loaded) : null;
    const folder = from ?? past;
    if (loaded.config.method === "sft") {
      return estimateSupervised(options, { loaded, planOf, onEstimate });
    }
    if (folder !== null) {
      return estimateFromRun(options, { loaded, planOf, fileSystem, folder, onEstimate });
    }
    const groups = (wanted ?? DRY_RUN_GROUPS) * Object.keys(loaded.config.environments).length;
    return executeDryRun(options, {
      loaded,
      planOf,
      groups,
      isKept: false,
      onPlayed: async (_, report) => onEstimate(report),
    });
  });
}

/** Evaluates models without training; see {@link evaluateModels}. */
export function startEvaluation(request: EvaluateRequest): ActiveRun {
  return launch(request, async (options, fileSystem) => {
    const { models: words, owner } = request;
    const loaded = await loadEvaluation(fileSystem, request, options);
    const named = words.length > 0 ? words : await defaultWords(fileSystem, loaded);
    const models = await evaluatedModels(fileSystem, named, loaded);
    const wanted = { fileSystem, loaded, models, owner };
    return withNotifications(options, loaded, (watcher) =>
      evaluateModels({ ...options, ...watcher }, wanted),
    );
  });
}

interface TrainerParts {
  readonly options: TrainerOptions;
  readonly fileSystem: FileSystem;
}

async function trainFrom(
  given: StartConfig,
  request: TrainRequest | ResumeRequest,
  { options, fileSystem }: TrainerParts,
): Promise<RunEnd> {
  const named = await loadNamed(given, options);
  const { folder } = given;
  const sweep = folder === null ? sweepOf(request) : await sweepOfRun(fileSystem, folder);
  const start = await stageStart(fileSystem, {
    start: given,
    config: named.config,
    member: sweep,
    resumedWith: folder === null ? [] : request.overrides,
  });
  const loaded = start === given ? named : { ...loadStart(start), warnings: named.warnings };
  if (loaded.config.method === "collect") {
    const collected = collectingStart(loaded, start);
    const models = await evaluatedModels(fileSystem, [collectedModel(loaded)], loaded);
    const { owner } = request;
    const wanted = {
      fileSystem,
      loaded: collected,
      models,
      owner,
      sweep,
      endsOnBudget: true,
    };
    return withNotifications(options, collected, (watcher) =>
      evaluateModels({ ...options, ...watcher }, wanted),
    );
  }
  if (folder === null) await requireWeights(loaded.config, loaded.path);
  const plan =
    folder === null
      ? planNewRun(fileSystem, request, loaded)
      : await planResume(fileSystem, { ...request, folder }, loaded);
  return withNotifications(options, loaded, (watcher) =>
    executeRun({ ...options, ...watcher }, plan),
  );
}

/** The model, named as for an evaluation. */
function collectedModel({ config: { init_from: given }, path }: LoadedConfig): string {
  if (given === null) return BASE;
  return given.startsWith("tinker:") ? given : resolve(dirname(path), given);
}

function sweepOf(request: TrainRequest | ResumeRequest): SweepMember | undefined {
  return "sweep" in request ? request.sweep : undefined;
}

async function sweepOfRun(
  fileSystem: FileSystem,
  folder: string,
): Promise<SweepMember | undefined> {
  return (await readRunFile(fileSystem.within(folder), folder))?.sweep;
}

/** The work to do once the run can be controlled from outside. */
type Work = (options: TrainerOptions, fileSystem: FileSystem) => Promise<RunEnd>;

function launch(request: RunRequest, work: Work): ActiveRun {
  const control = new RunControl();
  const now = new AbortController();
  let lease: RunLease | null = null;
  const interrupted = new Promise<RunEnd>((resolve) => {
    const end = async (): Promise<void> => {
      await endAtOnce(lease);
      resolve({ outcome: "interrupted", folder: null });
      // Called last, because a stopped run would otherwise save itself.
      control.stop();
    };
    now.signal.addEventListener("abort", end, { once: true });
  });
  const stopNow = (): void => now.abort();
  const onClaim = (own: RunLease): void => {
    lease = own;
  };
  const running = run(request, work, { control, stopNow, onClaim });
  running.catch(() => undefined);
  return {
    ended: Promise.race([running, interrupted]),
    stopAndSave: () => control.stop(),
    stopNow,
  };
}

/** Records in the folder that the run was stopped. A hanging disk does not prevent the end. */
async function endAtOnce(lease: RunLease | null): Promise<void> {
  const message = "The run was ended immediately, without a save.";
  const written = lease?.end({ phase: "stopped", ending: { code: "stopped", message } });
  await raceAbort(Promise.resolve(written), AbortSignal.timeout(END_MS)).catch(() => undefined);
}

interface RunHandles {
  readonly control: RunControl;
  readonly stopNow: () => void;
  readonly onClaim: (lease: RunLease) => void;
}

async function run(
  request: RunRequest,
  work: Work,
  { control, stopNow, onClaim }: RunHandles,
): Promise<RunEnd> {
  const { launch: editor, redactor = new Redactor() } = request;
  const launchRequest = editor?.launchRequest;
  const log = redactingLog(debugLog, redactor);
  const cleanup = new CleanupStack();
  const fileSystem = createFileSystem();
  cleanup.add(() => fileSystem.close());
  const clock = systemClock;
  let place: string | null = null;
  try {
    const onQuit = launchRequest?.onQuit;
    const channelOptions = { control, clock, fileSystem, log, stopNow, onQuit };
    const controlChannel = await ControlChannel.open(channelOptions);
    cleanup.add(() => controlChannel.close());
    editor?.onPlace({ control: controlChannel.address });
    const options: TrainerOptions = {
      programs: { folder: request.programFolder ?? dirname(fileURLToPath(import.meta.url)) },
      log,
      control,
      watch: watchers([
        withFallback(request.watch, log),
        (event) => controlChannel.onProgress(event),
      ]),
      cleanup,
      redactor,
      allowedOrigins: launchRequest?.allowedOrigins ?? request.allowedOrigins ?? [],
      launchRequest,
      controlChannel,
      onClaim: (lease) => {
        place = lease.folder;
        onClaim(lease);
        editor?.onPlace({ folder: lease.folder });
      },
    };
    return await work(options, fileSystem);
  } catch (error) {
    // Stopped during preparation or in the evaluation after the last save: nothing to save.
    if (isAppError(error, "stopped")) return { outcome: "stopped", folder: place };
    throw error;
  } finally {
    control.end();
    await cleanup.closeAll();
  }
}

function watchers(all: readonly TrainRequest["watch"][]): TrainRequest["watch"] {
  return (event) => {
    for (const watch of all) watch(event);
  };
}

/** A watcher that throws gets no further events, so that it cannot disturb the run. */
function withFallback(watch: TrainRequest["watch"], log: Log): TrainRequest["watch"] {
  let isWell = true;
  return (event) => {
    if (!isWell) return;
    try {
      watch(event);
    } catch (error) {
      isWell = false;
      log.error("A listener of the run failed.", { error });
    }
  };
}

/** Plans a run in a new folder. */
export function planNewRun(
  fileSystem: FileSystem,
  request: Pick<TrainRequest, "owner" | "sweep">,
  loaded: LoadedConfig,
): RunPlan {
  const { config, path } = loaded;
  const name = runName(config, path);
  const start = startPosition(config);
  return {
    loaded,
    name,
    folder: null,
    isNew: true,
    claim: () =>
      startRun(
        { fileSystem, clock: systemClock },
        {
          parent: runParent(config, path),
          name,
          runId: randomUUID(),
          pid: process.pid,
          host: hostname(),
          owner: request.owner,
          configPath: path,
          sweep: request.sweep,
        },
      ),
    createModel: async (tinker) => ({ client: await createClient(tinker, loaded), start }),
    recover: recoverWith(fileSystem, request.owner),
    start,
  };
}
