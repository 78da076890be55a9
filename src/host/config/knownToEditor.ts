/** What the help for configurations shows of the rest of the extension: nothing before that is loaded. Loads nothing itself. */

import type * as vscode from "vscode";
import type { Catalogue, CatalogueLists } from "../../core/config/editing/catalogue/catalogue.ts";
import type { NewestRun } from "../../core/config/editing/display/lenses.ts";
import type { MeasuredRun } from "../../core/config/editing/display/measuredRun.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";

type Listen = (listener: () => void) => Listening;

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

/** Answers from memory; only `update` asks services. */
export interface ConfigSources {
  readonly catalogue: {
    readonly current: () => Catalogue;
    /** Brings lists up to date, where the user allows it; rejects or resolves whenever it is done. */
    readonly update: (wanted: readonly (keyof CatalogueLists)[]) => Promise<void>;
    readonly onDidChange: Listen;
  };
  readonly runStatus: (config: vscode.Uri) => ConfigRun;
  readonly onDidChangeRuns: Listen;
  /** Null where no run has measured anything yet. */
  readonly measuredRun: (config: vscode.Uri) => ConfigMeasures | null;
  readonly onDidChangeMeasures: Listen;
  /** Configurations that are known without being open, for menus. */
  readonly knownConfigs: () => readonly vscode.Uri[];
  /** Keeps a secret under its name; resolves to false when the user declined. */
  readonly storeSecret: (name: string, value: string) => Promise<boolean>;
}

const NO_RUN: ConfigRun = { status: { kind: "none" } };
const NOTHING = { environments: null, models: null, checkpoints: null };
const NO_CATALOGUE: Catalogue = { local: NOTHING, hosted: NOTHING, tokenizers: [], secrets: null };

export class KnownToEditor {
  readonly #changes = new Emitter<"checks" | "runs" | "measures">();
  readonly #load: () => Promise<unknown>;
  #sources: ConfigSources | null = null;
  #revision = 0;

  /** `load` must lead to {@link use}. */
  constructor(load: () => Promise<unknown>) {
    this.#load = load;
  }

  readonly onDidChange = this.#changes.event;

  /** Changes with the catalogue. */
  get revision(): number {
    return this.#revision;
  }

  catalogue(): Catalogue {
    return this.#sources?.catalogue.current() ?? NO_CATALOGUE;
  }

  async updateCatalogue(wanted: readonly (keyof CatalogueLists)[]): Promise<void> {
    await this.#sources?.catalogue.update(wanted);
  }

  runOf(config: vscode.Uri): ConfigRun {
    return this.#sources?.runStatus(config) ?? NO_RUN;
  }

  measuresOf(config: vscode.Uri): ConfigMeasures | null {
    return this.#sources?.measuredRun(config) ?? null;
  }

  configs(): readonly vscode.Uri[] {
    return this.#sources?.knownConfigs() ?? [];
  }

  /** False when the user declined. */
  async storeSecret(name: string, value: string): Promise<boolean> {
    await this.#load();
    return (await this.#sources?.storeSecret(name, value)) ?? false;
  }

  /** From now on `sources` answer. */
  use(sources: ConfigSources): Listening {
    this.#sources = sources;
    const renew = (): void => {
      this.#revision += 1;
      this.#changes.fire("checks");
    };
    const listening = [
      sources.catalogue.onDidChange(renew),
      sources.onDidChangeRuns(() => this.#changes.fire("runs")),
      sources.onDidChangeMeasures(() => this.#changes.fire("measures")),
    ];
    renew();
    return {
      dispose: () => {
        for (const each of listening) each.dispose();
      },
    };
  }
}
