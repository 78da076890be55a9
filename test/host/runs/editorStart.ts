/** Starts from an editor with the built trainer, from the request to the trainer's end, with a scripted user. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gatherKeys } from "../../../src/host/keys/gatherKeys.ts";
import { createLaunchRequest } from "../../../src/host/runs/createLaunchRequest.ts";
import { type LaunchEnd, watchLaunch } from "../../../src/host/runs/launchWatch.ts";
import type { TrainingRequest } from "../../../src/host/runs/trainings.ts";
import { locateDotEnv, readDotEnv } from "../../../src/node/dotEnv.ts";
import { launchTrainer } from "../../../src/node/launch/launcher.ts";
import { LaunchStore, readLaunch } from "../../../src/node/launch/launchStore.ts";
import type { LaunchRequest } from "../../../src/shared/control.ts";
import { type Listener, startListener } from "../../editor/listener.ts";
import type { Answer } from "../keys/fakeUi.ts";
import { keyParts } from "../keys/keyParts.ts";

export interface EditorEnd extends LaunchEnd {
  readonly output: string;
}

/** An editor whose storage is below `folder`; the file with keys is `.env` unless `envFile` names another. */
export function openEditor(
  folder: string,
  answers: readonly Answer[] = [],
  envFile = () => ".env",
) {
  const parts = {
    ...keyParts(answers, { environment: () => process.env }),
    files: {
      inFolder: (of: string) => locateDotEnv(resolve(of, envFile())),
      read: readDotEnv,
    },
  };
  const launcher = {
    launches: new LaunchStore(join(folder, "launches")),
    programFolder: resolve("dist/trainer"),
    copiesFolder: join(folder, "copies"),
    environment: () => ({}),
  };
  const launchRequest = (request: TrainingRequest): Promise<LaunchRequest | null> =>
    createLaunchRequest(
      { forLaunch: (config) => gatherKeys(config, parts), variables: () => ({}) },
      request,
    );
  return {
    ui: parts.ui,
    memory: parts.memory,
    store: parts.store,
    launchRequest,
    /** `onOrder` is called before the trainer starts, `onStart` with its process id. */
    async start(
      request: TrainingRequest,
      {
        onOrder,
        onStart,
      }: { readonly onOrder?: () => void; readonly onStart?: (pid: number) => void } = {},
    ): Promise<EditorEnd> {
      const given = await launchRequest(request);
      if (given === null) throw new Error("The user went away.");
      onOrder?.();
      const launch = await launchTrainer(launcher, { title: request.title, launchRequest: given });
      const { pid } = (await readLaunch(launch))?.request ?? { pid: null };
      if (pid !== null) onStart?.(pid);
      let output = "";
      const end = await watchLaunch(launch, {
        onOutput: (text) => {
          output += text;
        },
        onFolder: () => undefined,
      });
      return { ...end, output };
    },
  };
}

/** A project whose configuration sends keys to an untrusted server. */
export interface StrangersProject {
  readonly folder: string;
  readonly stranger: Listener;
  /** Writes a configuration for a run of the model and returns its path. */
  readonly configure: (model: string) => string;
  readonly remove: () => void;
}

export async function openStrangersProject(): Promise<StrangersProject> {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-stranger-"));
  const stranger = await startListener();
  return {
    folder,
    stranger,
    configure: (model) => {
      const configPath = join(folder, "tinker-config.yaml");
      writeFileSync(configPath, configText(model, `tinker_base_url: http://${stranger.host}`));
      return configPath;
    },
    remove: () => {
      stranger.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** A small configuration, with `more` lines at the end. */
export function configText(model: string, more = ""): string {
  return `model_name: ${model}
environments: {local/calculator: {splits: {train: {}}, num_rollouts: 4}}
batch_size: 2
max_steps: 1
${more}
`;
}
