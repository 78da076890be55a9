/** Data from the rest of the extension for the configuration features; empty until that is loaded, which happens only on demand. */

import type * as vscode from "vscode";
import type { CatalogueAccess, ListKind } from "../../api/catalogue.ts";
import type { Catalogue, SecretState } from "../../core/config/editing/catalogue/catalogue.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";

type Listen = (listener: () => void) => Listening;

/** Answers from memory, except for `catalogueAccess`. */
export interface ConfigSources {
  readonly environments: {
    readonly current: () => Catalogue;
    readonly ready: () => Promise<void>;
    /** Rereads them from the server, if they have been loaded. */
    readonly reload: () => void;
  };
  /** Access for querying services, if the user allows it. */
  readonly catalogueAccess: (wanted: readonly ListKind[]) => Promise<CatalogueAccess | null>;
  /** Variables with service addresses. */
  readonly variables: () => Values;
  /** Null if the secret store must not be queried. */
  readonly secrets: () => readonly SecretState[] | null;
  readonly onDidChangeSecrets: Listen;
  /** Configurations that are known without being open, for menus. */
  readonly knownConfigs: () => readonly vscode.Uri[];
  /** Stores a secret under its name; resolves to false if the user declined. */
  readonly storeSecret: (name: string, value: string) => Promise<boolean>;
}

export class LazyConfigSources {
  readonly #changes = new Emitter<void>();
  readonly #load: () => Promise<unknown>;
  #loaded: ConfigSources | null = null;

  /** `load` must result in a call to {@link use}. */
  constructor(load: () => Promise<unknown>) {
    this.#load = load;
  }

  readonly onDidChange = this.#changes.event;

  /** Null before the rest of the extension is loaded. */
  get loaded(): ConfigSources | null {
    return this.#loaded;
  }

  /** Loads the rest of the extension first. False when the user declined. */
  async storeSecret(name: string, value: string): Promise<boolean> {
    await this.#load();
    return (await this.#loaded?.storeSecret(name, value)) ?? false;
  }

  /** Answers from `sources` from now on. */
  use(sources: ConfigSources): Listening {
    this.#loaded = sources;
    const listening = sources.onDidChangeSecrets(() => this.#changes.fire());
    this.#changes.fire();
    return listening;
  }
}
