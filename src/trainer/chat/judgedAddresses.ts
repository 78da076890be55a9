/** Service addresses of a chat that was opened by an editor. */

import type { FileSystem } from "../../core/ports.ts";
import { type Destinations, destinationsOf } from "../../core/secrets/destinations.ts";
import { startConfig } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { type LoadedConfig, loadStart } from "../config/configFiles.ts";
import { requireJudged } from "../config/requireJudged.ts";
import type { ChosenModel } from "./chooseModel.ts";

export interface JudgedAddresses {
  /** Replaces the model's addresses with the approved ones. */
  readonly judge: (model: ChosenModel) => ChosenModel;
  /** Where the approved configuration sends keys; null for a terminal. */
  readonly destinations: Destinations | null;
}

/**
 * An editor released its keys for the addresses of the configuration that it read, so those apply, whatever the run was started with.
 * @throws AppError `config-changed`
 */
export async function judgedAddresses(
  fileSystem: FileSystem,
  launchRequest: LaunchRequest | undefined,
): Promise<JudgedAddresses> {
  if (launchRequest === undefined) return { judge: (model) => model, destinations: null };
  const { resume, configPath, overrides } = launchRequest.training;
  const wanted = resume === null ? { configPath, overrides } : { resume, overrides };
  const start = await startConfig(fileSystem, wanted);
  requireJudged(launchRequest, start);
  const { config } = loadStart(start);
  const { tinker_base_url, openreward_base_url } = config;
  const judged = (loaded: LoadedConfig): LoadedConfig => {
    return { ...loaded, config: { ...loaded.config, tinker_base_url, openreward_base_url } };
  };
  return {
    destinations: destinationsOf(config),
    judge: (model) => ({
      ...model,
      loaded: judged(model.loaded),
      open: async (service, continued) => {
        const opened = await model.open(service, continued);
        return { ...opened, loaded: judged(opened.loaded) };
      },
    }),
  };
}
