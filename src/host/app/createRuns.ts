/** The window's runs: those on disk, those it starts, and the tasks through which VS Code shows them. */

import { join } from "node:path";
import type * as vscode from "vscode";
import type { Log } from "../../core/ports.ts";
import { Limiter } from "../../core/util/limiter.ts";
import { systemClock } from "../../node/clock.ts";
import type { ClosableFileSystem } from "../../node/fileSystem.ts";
import { launchTrainer } from "../../node/launch/launcher.ts";
import { LaunchStore, readLaunch } from "../../node/launch/launchStore.ts";
import { hasStages } from "../../node/loadSweep.ts";
import { readConfig } from "../../node/startConfig.ts";
import type { Keys } from "../keys/createKeys.ts";
import { createLaunchRequest, recover } from "../runs/createLaunchRequest.ts";
import { RunFinder } from "../runs/runFinder.ts";
import { RunLabels } from "../runs/runLabels.ts";
import { ReportedRuns } from "../runs/runList.ts";
import { RunSlots } from "../runs/runSlots.ts";
import { askForSlot } from "../runs/slotQuestion.ts";
import { SweepTraining } from "../runs/sweepTraining.ts";
import { Trainings } from "../runs/trainings.ts";
import { followRunsOf } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";
import { TaskProvider } from "../task/taskProvider.ts";
import { proxyVariables } from "../vscode/proxyVariables.ts";
import type { Register } from "../vscode/register.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";

export interface CreateRunsOptions {
  readonly context: Pick<
    vscode.ExtensionContext,
    "globalState" | "workspaceState" | "globalStorageUri"
  >;
  /** Holds the trainer's program. */
  readonly programFolder: string;
  readonly keys: Keys;
  readonly server: Server;
  readonly fileSystem: ClosableFileSystem;
  readonly register: Register;
  readonly log: Log;
  readonly onError: (error: unknown) => void;
  /** Called before each training with the path of its configuration. */
  readonly onStart: (config: string) => Promise<void>;
}

export type Runs = ReturnType<typeof createRuns>;

export function createRuns(options: CreateRunsOptions) {
  const { context, server, fileSystem, register, onError } = options;
  const labels = new RunLabels({
    everywhere: context.globalState,
    workspace: context.workspaceState,
  });
  const store = register(new ReportedRuns({ server, labels, onError }));
  const follow = followRunsOf(server, onError);
  const finder = register(new RunFinder({ store, onError }));
  const launches = new LaunchStore(join(context.globalStorageUri.fsPath, "launches"));
  const slots = new RunSlots({
    maxParallel: () => readSetting("run.maxParallel"),
    choose: askForSlot,
  });
  register(onSettingChange(["run.maxParallel"], () => slots.startNext()));
  const trainings = createTrainings(options, launches, slots);
  const tasks = new TaskProvider({
    configs: async () => {
      await finder.find();
      return finder.configs;
    },
    openTraining: (request) => trainings.open(request, null),
    joinTraining: async (launch, of) => {
      const known = await readLaunch(launches.folder(launch));
      // Overrides from settings are among those of the launch. The sweep is dropped, because the process that ran it is gone.
      const again = { settingOverrides: [], sweep: undefined };
      const request = known && { ...known.request.training, ...again, ...of };
      return request && trainings.open(request, known.folder);
    },
    openSweep: (request) =>
      new SweepTraining({ fileSystem, clock: systemClock, log: options.log, trainings }, request),
    hasStages: async (path, overrides) => {
      const text = await readConfig(fileSystem, path).catch(() => "");
      return hasStages(text, { path, overrides });
    },
  });
  return { store, labels, follow, finder, launches, trainings, tasks };
}

function createTrainings(
  { context, programFolder, keys, onError, onStart }: CreateRunsOptions,
  launches: LaunchStore,
  slots: RunSlots,
): Trainings {
  const asking = new Limiter(1);
  const launcher = {
    launches,
    programFolder,
    copiesFolder: join(context.globalStorageUri.fsPath, "trainer"),
    environment: proxyVariables,
  };
  return new Trainings({
    slots,
    start: async (request, signal) => {
      // One at a time, because simultaneous starts would ask the same questions.
      const launchRequest = await asking.run(async () => {
        signal.throwIfAborted();
        return createLaunchRequest(keys, request);
      });
      if (launchRequest === null) return null;
      await onStart(request.configPath);
      signal.throwIfAborted();
      return await launchTrainer(launcher, { title: request.title, launchRequest });
    },
    recoverFromLaunchError: (error, request) => recover(keys, error, request),
    onError,
  });
}
