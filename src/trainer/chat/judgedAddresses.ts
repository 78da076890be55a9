/** The addresses of services in a conversation that an editor opens. */

import type { FileSystem } from "../../core/ports.ts";
import { type Destinations, destinationsOf } from "../../core/secrets/destinations.ts";
import { startConfig } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { type LoadedConfig, loadStart } from "../config/configFiles.ts";
import { requireJudged } from "../config/requireJudged.ts";
import type { ChosenModel } from "./chooseModel.ts";

export interface JudgedAddresses {
  /** The model with the addresses that were judged. */
  readonly judge: (model: ChosenModel) => ChosenModel;
  /** Where the judged configuration sends keys; null for a terminal. */
  readonly destinations: Destinations | null;
}

/**
 * An editor gave its keys for the addresses of a configuration that it read: those hold, whatever the run was started with.
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
      open: async (service, goesOn) => {
        const opened = await model.open(service, goesOn);
        return { ...opened, loaded: judged(opened.loaded) };
      },
    }),
  };
}
