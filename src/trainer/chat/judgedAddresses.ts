/** The addresses of services in a conversation that an editor opens. */

import type { FileSystem } from "../../core/ports.ts";
import { startConfig } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { type LoadedConfig, loadStart } from "../config/configFiles.ts";
import { requireJudged } from "../requireJudged.ts";
import type { ChosenModel } from "./chooseModel.ts";

/**
 * An editor gave its keys for the addresses of a configuration that it read: those hold, whatever the run was started with.
 * @throws AppError `config-changed`
 */
export async function judgedAddresses(
  fileSystem: FileSystem,
  launchRequest: LaunchRequest | undefined,
): Promise<(model: ChosenModel) => ChosenModel> {
  if (launchRequest === undefined) return (model) => model;
  const { resume, configPath, overrides } = launchRequest.training;
  const wanted = resume === null ? { configPath, overrides } : { resume, overrides };
  const start = await startConfig(fileSystem, wanted);
  requireJudged(launchRequest, start);
  const { tinker_base_url, openreward_base_url } = loadStart(start).config;
  const judge = (loaded: LoadedConfig): LoadedConfig => {
    return { ...loaded, config: { ...loaded.config, tinker_base_url, openreward_base_url } };
  };
  return (model) => ({
    ...model,
    loaded: judge(model.loaded),
    open: async (service, goesOn) => {
      const opened = await model.open(service, goesOn);
      return { ...opened, loaded: judge(opened.loaded) };
    },
  });
}
