/** What an estimate can be based on: the past run that is most like it, or groups that must be played first. */

import { resolve } from "node:path";
import type { EstimateBasis } from "../../api/estimate.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { basisKey } from "../../core/estimate/pastRun.ts";
import type { FileSystem } from "../../core/ports.ts";
import { stageConfig } from "../../core/sweeps/planStages.ts";
import { checkedSweep } from "../../node/loadSweep.ts";
import { readConfig } from "../../node/startConfig.ts";
import { type LoadedConfig, loadConfig } from "../config/configFiles.ts";
import type { EstimateRequest } from "../plan/types.ts";
import { pastRunOf } from "./estimate.ts";

/** Asks no service. @throws AppError `config-invalid`, `config-not-found` */
export async function estimateBasis(
  fileSystem: FileSystem,
  { configPath, overrides = [], grid = [] }: BasisOf,
): Promise<EstimateBasis> {
  if (grid.length > 0) return basisOfSweep(fileSystem, { configPath, overrides, grid });
  const loaded = await loadConfig(fileSystem, configPath, overrides);
  const { model_name: model } = loaded.config;
  const config = playedConfig(loaded, overrides);
  const pastRun =
    config === null ? null : await pastRunOf(fileSystem, { config, path: loaded.path });
  return { pastRun, model, isBilled: config !== null && !isLocalModel(model) };
}

type BasisOf = Pick<EstimateRequest, "configPath" | "overrides" | "grid">;

/** A billed run decides, first one without a past run: playing groups for any of them needs consent. */
async function basisOfSweep(
  fileSystem: FileSystem,
  { configPath, ...given }: Required<BasisOf>,
): Promise<EstimateBasis> {
  const text = await readConfig(fileSystem, configPath);
  const { plan, first } = checkedSweep({ text, path: configPath, ...given });
  const played = plan.combinations.flatMap(({ config }) => (config.method === "sft" ? [] : config));
  // Most runs of a sweep share their basis, and a look for it reads all run folders.
  const different = new Map(played.map((config) => [basisKey(config), config]));
  const bases: EstimateBasis[] = [];
  for (const config of different.values()) {
    const { model_name: model } = config;
    const pastRun = await pastRunOf(fileSystem, { config, path: resolve(configPath) });
    bases.push({ pastRun, model, isBilled: !isLocalModel(model) });
  }
  const billed = bases.filter(({ isBilled }) => isBilled);
  const [basis = { pastRun: null, model: first.config.model_name, isBilled: false }] = bases;
  return billed.find(({ pastRun }) => pastRun === null) ?? billed[0] ?? basis;
}

/** The configuration whose rollouts an estimate is based on: the first stage that plays any. Null if there are only examples. */
function playedConfig(
  { config, text, path }: LoadedConfig,
  overrides: readonly string[],
): Config | null {
  const names = Object.keys(config.stages ?? {});
  const stages = names.map((name) => stageConfig({ text, path, overrides }, name));
  const configs = names.length === 0 ? [config] : stages;
  return configs.find((own) => own !== null && own.method !== "sft") ?? null;
}
