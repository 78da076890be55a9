/** What the help for configurations shows before the rest of the extension is loaded, and from then on. Loads nothing itself. */

import type * as vscode from "vscode";
import type { Catalogue } from "../../core/config/editing/catalogue/catalogue.ts";
import type { ConfigSupportOptions } from "../config/configSupportOptions.ts";
import { Emitter, type Listening } from "../vscode/emitter.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";
import { onSettingChange } from "../vscode/settings.ts";

export type LoadedConfigSupport = Required<
  Omit<ConfigSupportOptions, "log" | "overrides" | "onDidChangeOverrides">
>;

const NOTHING = { environments: null, models: null, checkpoints: null };
const NO_CATALOGUE: Catalogue = { local: NOTHING, hosted: NOTHING, tokenizers: [], secrets: null };

export class LazyConfigSupport {
  readonly #names = new Emitter<void>();
  readonly #runs = new Emitter<void>();
  readonly #measures = new Emitter<void>();
  #loaded: LoadedConfigSupport | null = null;

  /** For `registerConfigSupport`; `load` must lead to {@link use}. */
  options(log: vscode.LogOutputChannel, load: () => Promise<unknown>): ConfigSupportOptions {
    return {
      log,
      catalogue: {
        current: () => this.#loaded?.catalogue.current() ?? NO_CATALOGUE,
        update: async (wanted) => this.#loaded?.catalogue.update?.(wanted),
        onDidChange: this.#names.event,
      },
      runStatus: (config) => this.#loaded?.runStatus(config) ?? { status: { kind: "none" } },
      onDidChangeRuns: this.#runs.event,
      measuredRun: (config) => this.#loaded?.measuredRun(config) ?? null,
      onDidChangeMeasures: this.#measures.event,
      knownConfigs: () => this.#loaded?.knownConfigs() ?? [],
      overrides: settingOverrides,
      onDidChangeOverrides: (again) => onSettingChange(["overrides"], again),
      storeSecret: async (name, value) => {
        await load();
        return (await this.#loaded?.storeSecret(name, value)) ?? false;
      },
    };
  }

  /** From now on `loaded` answers. */
  use(loaded: LoadedConfigSupport): Listening {
    this.#loaded = loaded;
    const listening = [
      loaded.catalogue.onDidChange?.(() => this.#names.fire()),
      loaded.onDidChangeRuns(() => this.#runs.fire()),
      loaded.onDidChangeMeasures(() => this.#measures.fire()),
    ];
    this.#names.fire();
    this.#runs.fire();
    this.#measures.fire();
    return {
      dispose: () => {
        for (const each of listening) each?.dispose();
      },
    };
  }
}
