/** Assembles what the server provides about names and runs, and what the window shows of it. */

import { dirname } from "node:path";
import * as vscode from "vscode";
import type { SecretState } from "../../core/config/editing/catalogue/catalogue.ts";
import { serviceVariables, type Values } from "../../core/secrets/serviceHosts.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import type { ConfigSources } from "../config/knownToEditor.ts";
import type { Keys } from "../keys/createKeys.ts";
import { keyIdOf } from "../keys/keyNames.ts";
import { storeKeys } from "../keys/storeKeys.ts";
import { windowUi } from "../keys/windowUi.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { Server } from "../server/server.ts";
import { readSetting } from "../vscode/settings.ts";
import { createEnvironmentLists, type EnvironmentLists } from "./environmentLists.ts";
import { lookUpPermission } from "./lookUpPermission.ts";
import { secretStates } from "./secretStates.ts";
import { accessForCompletion, accessNow } from "./serviceAccess.ts";

export interface CatalogueOptions {
  readonly keys: Keys;
  readonly finder: RunFinder;
  readonly server: Server;
  readonly onError: (error: unknown) => void;
}

export interface CatalogueServices extends vscode.Disposable {
  readonly environments: EnvironmentLists;
  /** Data for the configuration features. */
  readonly loaded: ConfigSources;
}

const SETTLE_MS = 300;

/** Cheap: nothing is requested from the server until someone looks. */
export function createCatalogue(options: CatalogueOptions): CatalogueServices {
  const { keys, finder, server, onError } = options;
  const permission = lookUpPermission({
    setting: () => readSetting("config.liveCompletion"),
    decide: (answer) =>
      vscode.workspace
        .getConfiguration("tinkerRL")
        .update("config.liveCompletion", answer, vscode.ConfigurationTarget.Global),
  });
  const access = { keys, permission, isTrusted: () => vscode.workspace.isTrusted };
  const variables = (): Values => serviceVariables(keys.variables());
  const environments = createEnvironmentLists({
    server,
    variables,
    access: () => accessNow(["environments"], access),
    now: Date.now,
    onError,
  });
  const secrets = new SecretWatch(keys, environments, onError);
  return {
    environments,
    dispose: () => secrets.dispose(),
    loaded: {
      environments,
      catalogueAccess: (wanted) => accessForCompletion(wanted, access),
      variables,
      secrets: () => secrets.states,
      onDidChangeSecrets: secrets.onDidChange,
      knownConfigs: () => finder.configs,
      storeSecret: async (name, value) => {
        const id = keyIdOf(name);
        if (id === null) return false;
        const kept = await storeKeys([{ id, value, host: null }], { ...keys, ui: windowUi });
        return kept !== null;
      },
    },
  };
}

/** Watches which sources provide which secrets; not in Restricted Mode. */
class SecretWatch {
  readonly #keys: Keys;
  readonly #environments: EnvironmentLists;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: vscode.Disposable;
  readonly #changed: Emitter<void>;
  readonly onDidChange: Emitter<void>["event"];
  readonly #soon = soon(SETTLE_MS, () => void this.#look().catch(this.#onError));
  #states: readonly SecretState[] | null = null;

  constructor(keys: Keys, environments: EnvironmentLists, onError: (error: unknown) => void) {
    this.#keys = keys;
    this.#environments = environments;
    this.#onError = onError;
    this.#changed = new Emitter(onError);
    this.onDidChange = this.#changed.event;
    const again = this.#soon;
    this.#listeners = vscode.Disposable.from(
      vscode.Disposable.from(keys.store.onDidChange(again)),
      vscode.workspace.onDidOpenTextDocument(again),
      vscode.workspace.onDidSaveTextDocument(again),
      vscode.workspace.onDidGrantWorkspaceTrust(again),
    );
    again();
  }

  /** Null before the first check. */
  get states(): readonly SecretState[] | null {
    return this.#states;
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#soon.dispose();
  }

  async #look(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    const { store, sources } = this.#keys;
    const configs = vscode.workspace.textDocuments.filter(isConfigDocument).map((document) => ({
      text: document.getText(),
      path: document.fileName,
      folder: dirname(document.fileName),
    }));
    const asked = configs.length === 0 ? [] : await this.#askedFor();
    const stored = () => store.list();
    const states = await secretStates({ stored, sources }, configs, asked);
    if (JSON.stringify(states) === JSON.stringify(this.#states)) return;
    this.#states = states;
    this.#changed.fire();
  }

  /** Names of the secrets that hosted environments require. */
  async #askedFor(): Promise<readonly string[]> {
    await this.#environments.ready();
    const { environments } = this.#environments.current().hosted;
    return (environments?.items ?? []).flatMap((entry) => entry.secrets);
  }
}
