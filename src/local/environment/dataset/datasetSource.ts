/** The facts about a dataset that the environments' process needs. */

import { dirname, resolve } from "node:path";
import { isDatasetEnvironment } from "../../../core/config/fields/presets.ts";
import {
  type ColumnsConfig,
  type Config,
  datasetSettings,
  type GraderConfig,
} from "../../../core/config/fields/schema.ts";

export interface DatasetSource {
  /** As spelled in the configuration. */
  readonly environment: string;
  /** Absolute. */
  readonly path: string;
  readonly columns: ColumnsConfig;
  readonly grader: GraderConfig;
  /** Share of each split; they sum to 1. */
  readonly splitFractions: Readonly<Record<string, number>>;
}

/** The datasets of a configuration located at `configPath`. */
export function datasetSources(
  { environments }: Pick<Config, "environments">,
  configPath: string,
): readonly DatasetSource[] {
  return Object.entries(environments).flatMap(([environment, config]) => {
    if (!isDatasetEnvironment(environment)) return [];
    const { tasks, ...settings } = datasetSettings(config);
    return [{ environment, path: resolve(dirname(configPath), tasks), ...settings }];
  });
}
