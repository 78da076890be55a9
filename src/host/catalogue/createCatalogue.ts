/** Puts the catalogue together: lists on disk, services, runs and keys, for the extension's composition root. */

import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { FileSystem, Log } from "../../core/ports.ts";
import type { RunStore } from "../../server/runs/runStore.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import type { ConfigSources } from "../config/knownToEditor.ts";
import type { Keys } from "../keys/createKeys.ts";
import { keyIdOf } from "../keys/keyNames.ts";
import { storeKeys } from "../keys/storeKeys.ts";
import { windowUi } from "../keys/windowUi.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import { readSetting } from "../vscode/settings.ts";
import { newestRun } from "./configRun.ts";
import type { LookUpOptions } from "./connection.ts";
import { LiveCatalogue } from "./liveCatalogue.ts";
import { LookUpPermission } from "./lookUpPermission.ts";
import { MeasuredRuns } from "./measuredRuns.ts";
import { RunCheckpoints } from "./runCheckpoints.ts";
import { secretStates } from "./secretStates.ts";
import { StoredLists } from "./storedLists.ts";

export interface CatalogueOptions {
  readonly context: Pick<vscode.ExtensionContext, "globalStorageUri">;
  readonly keys: Keys;
  readonly store: RunStore;
  readonly finder: RunFinder;
  readonly fileSystem: FileSystem;
  readonly onError: (error: unknown) => void;
}

export interface CatalogueServices extends vscode.Disposable {
  readonly catalogue: LiveCatalogue;
  /** For asking services about more than lists. */
  readonly lookUps: LookUpOptions;
  /** What the help for configurations is given. */
  readonly loaded: ConfigSources;
}

const SETTLE_MS = 300;

/** Cheap: lists are read from disk in the background, and services are not asked. */
export function createCatalogue(options: CatalogueOptions): CatalogueServices {
  const { context, keys, store, finder, fileSystem, onError } = options;
  const lookUps: LookUpOptions = {
    sources: keys.sources,
    variables: keys.variables,
    openHttp: keys.openHttp,
    log: quietLog(keys.log),
  };
  // What knows the services loads in the background.
  let addresses: typeof import("./addresses.ts") | null = null;
  const load = async (): Promise<void> => {
    addresses = await import("./addresses.ts");
    await catalogue.load();
  };
  const folder = join(context.globalStorageUri.fsPath, "catalogue");
  const catalogue = new LiveCatalogue({
    files: new StoredLists(folder, fileSystem),
    lookUp: async (kind) => (await import("./lookUps.ts")).lookUpList(kind, lookUps),
    lookUpEnvironment: async (name) =>
      (await import("./lookUps.ts")).lookUpEnvironment(name, lookUps),
    canLookUp: async (kind) => (await import("./lookUps.ts")).canLookUp(kind, lookUps),
    serverOf: (kind) => addresses?.serverOf(kind, keys.variables()) ?? null,
    permission: new LookUpPermission({
      setting: () => readSetting("config.liveCompletion"),
      decide: (answer) =>
        vscode.workspace
          .getConfiguration("tinkerRL")
          .update("config.liveCompletion", answer, vscode.ConfigurationTarget.Global),
    }),
    isTrusted: () => vscode.workspace.isTrusted,
    now: Date.now,
    onError,
  });
  const runs = new RunCheckpoints({
    store,
    fileSystem,
    onError,
    onFound: (saved, rewards) => catalogue.setSaved(saved, rewards),
  });
  const measured = new MeasuredRuns({ store, fileSystem, onError });
  const secrets = new SecretWatch(keys, catalogue, onError);
  load().catch(onError);
  const services = vscode.Disposable.from(runs, measured, secrets);
  return {
    catalogue,
    lookUps,
    dispose: () => services.dispose(),
    loaded: {
      catalogue,
      runStatus: (config) => newestRun(store.runs, config.fsPath),
      onDidChangeRuns: (listener) => store.onDidChange(listener),
      measuredRun: (config) => measured.of(config.fsPath),
      onDidChangeMeasures: (listener) => measured.onDidChange(listener),
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

/** Keeps the catalogue informed of where secrets would come from; no one looks in Restricted Mode. */
class SecretWatch {
  readonly #keys: Keys;
  readonly #catalogue: LiveCatalogue;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: vscode.Disposable;
  #timer: NodeJS.Timeout | null = null;

  constructor(keys: Keys, catalogue: LiveCatalogue, onError: (error: unknown) => void) {
    this.#keys = keys;
    this.#catalogue = catalogue;
    this.#onError = onError;
    const again = (): void => this.#soon();
    this.#listeners = vscode.Disposable.from(
      vscode.Disposable.from(keys.store.onDidChange(again)),
      vscode.workspace.onDidOpenTextDocument(again),
      vscode.workspace.onDidSaveTextDocument(again),
      vscode.workspace.onDidGrantWorkspaceTrust(again),
    );
    again();
  }

  dispose(): void {
    this.#listeners.dispose();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#look().catch(this.#onError);
    }, SETTLE_MS);
  }

  async #look(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    const { store, sources } = this.#keys;
    const configs = vscode.workspace.textDocuments.filter(isConfigDocument).map((document) => ({
      text: document.getText(),
      path: document.fileName,
      folder: dirname(document.fileName),
    }));
    const { hosted } = this.#catalogue.current();
    const asked = (hosted.environments?.items ?? []).flatMap((entry) => entry.secrets);
    const stored = () => store.list();
    this.#catalogue.setSecrets(await secretStates({ stored, sources }, configs, asked));
  }
}

/** Logs requests at the levels that the user has to turn on. */
function quietLog(log: Pick<vscode.LogOutputChannel, "trace" | "debug">): Log {
  const trace = (message: string, data?: object): void => log.trace(message, data ?? {});
  const debug = (message: string, data?: object): void => log.debug(message, data ?? {});
  return { debug: trace, info: trace, warn: debug, error: debug };
}
