/** The trainer's door: starts or resumes a run and gives back a handle on it. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isAppError } from "../core/errors.ts";
import type { FileSystem, Log } from "../core/ports.ts";
import { runPaths } from "../core/run/layout.ts";
import { startRun } from "../core/run/runFolder.ts";
import { cleanedLog } from "../core/secrets/cleanedPorts.ts";
import { Redactor } from "../core/secrets/redact.ts";
import { RunControl } from "../core/training/control.ts";
import { systemClock } from "../node/clock.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { runName, runParent } from "../node/runPlaces.ts";
import { Closers } from "./closers.ts";
import { type LoadedConfig, loadConfig } from "./configFiles.ts";
import type { ActiveRun, ResumeRequest, RunEnd, TrainRequest } from "./contract.ts";
import { Ear } from "./control/ear.ts";
import { debugLog } from "./debugLog.ts";
import { createClient, startPosition } from "./modelStart.ts";
import { planResume } from "./resume.ts";
import { executeRun } from "./run.ts";
import type { RunPlan, TrainerScope } from "./runPlan.ts";

/** Trains a new run, or with `resume_from: auto` or a run folder goes on with one. */
export function startTraining(request: TrainRequest): ActiveRun {
  return launch(request, async (scope) => {
    const loaded = await loadConfig(scope.fileSystem, request.configPath, request.overrides);
    const folder = await runToResume(scope, loaded);
    if (folder !== null) return planResume(scope.fileSystem, { ...request, folder });
    return planNewRun(scope.fileSystem, request, loaded);
  });
}

/** Goes on with a run from its last confirmed checkpoint. */
export function resumeTraining(request: ResumeRequest): ActiveRun {
  const folder = resolve(request.folder);
  return launch(request, (scope) => planResume(scope.fileSystem, { ...request, folder }));
}

function launch(
  request: TrainRequest | ResumeRequest,
  plan: (scope: TrainerScope) => Promise<RunPlan>,
): ActiveRun {
  const control = new RunControl();
  const closers = new Closers();
  const fileSystem = createFileSystem();
  closers.add(() => fileSystem.close());
  const folder = request.programFolder ?? dirname(fileURLToPath(import.meta.url));
  const now = new AbortController();
  const interrupted = new Promise<RunEnd>((resolve) => {
    const end = (): void => resolve({ outcome: "interrupted", folder: null });
    now.signal.addEventListener("abort", end, { once: true });
  });
  const stopNow = (): void => {
    control.stop();
    now.abort();
  };
  const running = run({ programs: { folder }, fileSystem, control, closers }, request, {
    plan,
    stopNow,
  });
  running.catch(() => undefined);
  return {
    ended: Promise.race([running, interrupted]),
    stopAndSave: () => control.stop(),
    stopNow,
  };
}

type ScopeParts = Pick<TrainerScope, "programs" | "fileSystem" | "control" | "closers">;

async function run(
  parts: ScopeParts,
  request: TrainRequest | ResumeRequest,
  {
    plan,
    stopNow,
  }: {
    readonly plan: (scope: TrainerScope) => Promise<RunPlan>;
    readonly stopNow: () => void;
  },
): Promise<RunEnd> {
  const { control, closers } = parts;
  const order = request.launch?.order;
  const { redactor = new Redactor() } = request;
  const log = cleanedLog(debugLog, redactor);
  let place: string | null = null;
  try {
    const onQuit = order === undefined ? {} : { onQuit: order.onQuit };
    const ear = await Ear.open({ ...parts, clock: systemClock, log, stopNow, ...onQuit });
    closers.add(() => ear.close());
    request.launch?.onPlace({ control: ear.address });
    const scope: TrainerScope = {
      ...parts,
      ...{ log, redactor },
      watch: watchers([guarded(request.watch, log), (event) => ear.heard(event)]),
      allowedHosts: [...(request.allowedHosts ?? []), ...(order?.allowedHosts ?? [])],
      ...(order !== undefined && { order }),
      ear,
      onFolder: (folder) => {
        place = folder;
        request.launch?.onPlace({ folder });
      },
    };
    return await executeRun(scope, await plan(scope));
  } catch (error) {
    // Stopped while still preparing, or in the evaluation after the last save: there is nothing to save.
    if (isAppError(error, "stopped")) return { outcome: "stopped", folder: place };
    throw error;
  } finally {
    control.end();
    await closers.closeAll();
  }
}

function watchers(all: readonly TrainRequest["watch"][]): TrainRequest["watch"] {
  return (event) => {
    for (const watch of all) watch(event);
  };
}

/** A watcher that throws is not heard again; it cannot disturb the run. */
function guarded(watch: TrainRequest["watch"], log: Log): TrainRequest["watch"] {
  let isWell = true;
  return (event) => {
    if (!isWell) return;
    try {
      watch(event);
    } catch (error) {
      isWell = false;
      log.error("A watcher of the run failed.", { error });
    }
  };
}

/** The run folder that `resume_from` names, or null when it names a checkpoint, nothing, or `auto` finds nothing. */
async function runToResume(
  { fileSystem }: TrainerScope,
  { config, path }: LoadedConfig,
): Promise<string | null> {
  const { resume_from: from } = config;
  if (from === null || from.startsWith("tinker://")) return null;
  const isAuto = from === "auto";
  const folder = isAuto
    ? join(runParent(config, path), runName(config, path))
    : resolve(dirname(path), from);
  const hasState = (await fileSystem.size(runPaths(folder).state)) !== null;
  if (hasState || !isAuto) return folder;
  return null;
}

/** Plans a run in a folder of its own. */
export function planNewRun(
  fileSystem: FileSystem,
  request: Pick<TrainRequest, "owner">,
  loaded: LoadedConfig,
): RunPlan {
  const { config, path } = loaded;
  const name = runName(config, path);
  const start = startPosition(config);
  return {
    loaded,
    name,
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
        },
      ),
    createModel: async (tinker) => ({ client: await createClient(tinker, config), start }),
    start,
    changedKeys: [],
  };
}
