/** What the help for configurations needs from the rest of the extension, and what its providers share. */

import type * as vscode from "vscode";
import type { Catalogue, CatalogueLists } from "../../core/config/editing/catalogue/catalogue.ts";
import type { NewestRun } from "../../core/config/editing/display/lenses.ts";
import type { MeasuredRun } from "../../core/config/editing/display/measuredRun.ts";
import type { Listening } from "../vscode/emitter.ts";

type Listen = (listener: () => void) => Listening;

/** Lists of what services offer. */
export interface CatalogueSource {
  /** What is known now, from memory or disk; asks nobody. */
  readonly current: () => Catalogue;
  /** Brings lists up to date, where the user allows it; rejects or resolves whenever it is done. */
  readonly update?: (wanted: readonly (keyof CatalogueLists)[]) => Promise<void>;
  readonly onDidChange?: Listen;
}

/** What a run of a configuration has measured. */
export interface ConfigMeasures {
  readonly folder: string;
  readonly run: MeasuredRun | null;
}

/** The newest run of a configuration. */
export interface ConfigRun {
  readonly status: NewestRun;
  /** What the commands `stopRun` and `openDashboard` take as their target. */
  readonly target?: unknown;
}

export interface ConfigSupportOptions {
  readonly catalogue: CatalogueSource;
  readonly runStatus: (config: vscode.Uri) => ConfigRun;
  readonly onDidChangeRuns?: Listen;
  /** What is known now, from memory; null where no run has measured anything yet. */
  readonly measuredRun?: (config: vscode.Uri) => ConfigMeasures | null;
  readonly onDidChangeMeasures?: Listen;
  readonly log: vscode.LogOutputChannel;
  /** Configurations that are known without being open, for menus. */
  readonly knownConfigs?: () => readonly vscode.Uri[];
  /** Overrides from settings, each as `key=value`; none in Restricted Mode. */
  readonly overrides?: (config: vscode.Uri) => readonly string[];
  readonly onDidChangeOverrides?: Listen;
  /** Keeps a secret under its name; resolves to false when the user declined. */
  readonly storeSecret?: (name: string, value: string) => Promise<boolean>;
}

type Support = typeof import("./support.ts").support;

/** The same with what the providers add for each other. */
export interface SharedOptions extends ConfigSupportOptions {
  readonly support: () => Promise<Support>;
}
