/** Starts of an editor with the built trainer, from a user's request to the trainer's end; the user answers from a script. */

import { join, resolve } from "node:path";
import { Approvals } from "../../src/host/keys/approvals.ts";
import { EnvPermission } from "../../src/host/keys/envPermission.ts";
import { gatherKeys } from "../../src/host/keys/gatherKeys.ts";
import { KeySources } from "../../src/host/keys/keySources.ts";
import { createLaunchRequest } from "../../src/host/runs/createLaunchRequest.ts";
import { launchTrainer } from "../../src/host/runs/launcher.ts";
import { LaunchStore, readLaunch } from "../../src/host/runs/launchStore.ts";
import { type LaunchEnd, watchLaunch } from "../../src/host/runs/launchWatch.ts";
import type { TrainingRequest } from "../../src/host/runs/trainings.ts";
import { locateDotEnv, readDotEnv } from "../../src/node/dotEnv.ts";
import type { LaunchRequest } from "../../src/shared/control.ts";
import { FakeHttp } from "../fakes/fakeHttp.ts";
import { FakeMemory } from "../host/keys/fakeMemory.ts";
import { type Answer, FakeUi } from "../host/keys/fakeUi.ts";
import { FakeVault, openStore } from "../host/keys/fakeVault.ts";

export interface EditorEnd extends LaunchEnd {
  readonly output: string;
}

/** An editor whose storage lies below `folder`; the file with keys is `.env` unless `envFile` names another. */
export function openEditor(
  folder: string,
  answers: readonly Answer[] = [],
  envFile = () => ".env",
) {
  const ui = new FakeUi(...answers);
  const memory = new FakeMemory();
  const { store } = openStore(new FakeVault());
  const http = Object.assign(new FakeHttp(() => ({})), { close: async () => undefined });
  const parts = {
    ui,
    store,
    envPermission: new EnvPermission({
      memory,
      ui,
      isTrusted: () => true,
      setting: () => "ask" as const,
      allowAlways: async () => undefined,
    }),
    files: {
      inFolder: (of: string) => locateDotEnv(resolve(of, envFile())),
      read: readDotEnv,
    },
    approvals: new Approvals({ memory, ui }),
    sources: new KeySources({
      store,
      environment: () => process.env,
      envValues: async () => ({}),
    }),
    variables: () => ({}),
    openHttp: async () => http,
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
    ui,
    memory,
    launchRequest,
    store,
    /** `onOrder` is called before the trainer begins, `onStart` with the number of its process. */
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
