/** What the help for configurations shows of the rest of the extension: nothing before that is loaded. Loads nothing itself. */

import type * as vscode from "vscode";
import type { CatalogueAccess, ListKind } from "../../api/catalogue.ts";
import type { Catalogue, SecretState } from "../../core/config/editing/catalogue/catalogue.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";

type Listen = (listener: () => void) => Listening;

/** Answers from memory, but for `catalogueAccess`. */
export interface ConfigSources {
  readonly environments: {
    readonly current: () => Catalogue;
    readonly ready: () => Promise<void>;
    /** Has them read from the server again, if anyone has looked. */
    readonly reload: () => void;
  };
  /** What services are asked with, where the user allows it. */
  readonly catalogueAccess: (wanted: readonly ListKind[]) => Promise<CatalogueAccess | null>;
  /** Those that lead to services. */
  readonly variables: () => Values;
  /** Null when the secret store must not be asked. */
  readonly secrets: () => readonly SecretState[] | null;
  readonly onDidChangeSecrets: Listen;
  /** Configurations that are known without being open, for menus. */
  readonly knownConfigs: () => readonly vscode.Uri[];
  /** Keeps a secret under its name; resolves to false when the user declined. */
  readonly storeSecret: (name: string, value: string) => Promise<boolean>;
}

export class KnownToEditor {
  readonly #changes = new Emitter<void>();
  readonly #load: () => Promise<unknown>;
  #sources: ConfigSources | null = null;

  /** `load` must lead to {@link use}. */
  constructor(load: () => Promise<unknown>) {
    this.#load = load;
  }

  readonly onDidChange = this.#changes.event;

  /** Only what is known about environments; null before the rest of the extension is loaded. */
  async catalogue(): Promise<Catalogue | null> {
    await this.#sources?.environments.ready();
    return this.#sources?.environments.current() ?? null;
  }

  /** Call it when the server knows other environments. */
  reloadEnvironments(): void {
    this.#sources?.environments.reload();
  }

  async catalogueAccess(wanted: readonly ListKind[]): Promise<CatalogueAccess | null> {
    return (await this.#sources?.catalogueAccess(wanted)) ?? null;
  }

  get variables(): Values {
    return this.#sources?.variables() ?? {};
  }

  get secrets(): readonly SecretState[] | null {
    return this.#sources?.secrets() ?? null;
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
    const listening = sources.onDidChangeSecrets(() => this.#changes.fire());
    this.#changes.fire();
    return listening;
  }
}
