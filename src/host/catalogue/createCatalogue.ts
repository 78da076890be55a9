/** Assembles what the server provides about names and runs, and what the window shows of it. */

import * as vscode from "vscode";
import type { SecretState } from "../../core/config/editing/catalogue/catalogue.ts";
import { serviceVariables, type Values } from "../../core/secrets/serviceHosts.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import type { ConfigSources } from "../config/configSources.ts";
import type { Keys } from "../keys/createKeys.ts";
import { keyIdOf } from "../keys/keyNames.ts";
import { keyUi } from "../keys/keyUi.ts";
import { saveKeys } from "../keys/saveKeys.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { Server } from "../server/server.ts";
import { createEnvironmentLists, type EnvironmentLists } from "./environmentLists.ts";
import { secretStates } from "./secretStates.ts";
import { accessForCompletion, accessNow } from "./serviceAccess.ts";

export interface CatalogueOptions {
  readonly keys: Keys;
  readonly finder: RunFinder;
  readonly server: Server;
  readonly onError: (error: unknown) => void;
}

const SETTLE_MS = 300;

/** Cheap: nothing is requested from the server until someone looks. */
export function createCatalogue(options: CatalogueOptions) {
  const { keys, finder, server, onError } = options;
  const variables = (): Values => serviceVariables(keys.variables());
  const environments = createEnvironmentLists({
    server,
    variables,
    access: () => accessNow(["environments"], keys),
    now: Date.now,
    onError,
  });
  const secrets = watchSecrets(keys, environments, onError);
  /** Data for the configuration features. */
  const loaded: ConfigSources = {
    environments,
    catalogueAccess: accessForCompletion(keys),
    variables,
    secrets: secrets.states,
    onDidChangeSecrets: secrets.onDidChange,
    knownConfigs: () => finder.configs,
    storeSecret: async (name, value) => {
      const id = keyIdOf(name);
      if (id === null) return false;
      const kept = await saveKeys([{ id, value, host: null }], { ...keys, ui: keyUi });
      return kept !== null;
    },
  };
  return { catalogue: environments, loaded, dispose: secrets.dispose };
}

/** Watches which sources provide which secrets; not in Restricted Mode. */
function watchSecrets(
  { store, sources }: Keys,
  environments: EnvironmentLists,
  onError: (error: unknown) => void,
) {
  const changed = new Emitter<void>(onError);
  let states: readonly SecretState[] | null = null;
  /** Names of the secrets that hosted environments require. */
  const askedFor = async (): Promise<readonly string[]> => {
    await environments.ready();
    const { environments: listed } = environments.current().hosted;
    return (listed?.items ?? []).flatMap((entry) => entry.secrets);
  };
  const look = async (): Promise<void> => {
    if (!vscode.workspace.isTrusted) return;
    const configs = vscode.workspace.textDocuments.filter(isConfigDocument).map((document) => ({
      text: document.getText(),
      path: document.fileName,
    }));
    const asked = configs.length === 0 ? [] : await askedFor();
    const now = await secretStates({ stored: () => store.list(), sources }, configs, asked);
    if (JSON.stringify(now) === JSON.stringify(states)) return;
    states = now;
    changed.fire();
  };
  const again = soon(SETTLE_MS, () => void look().catch(onError));
  const listeners = vscode.Disposable.from(
    again,
    store.onDidChange(again),
    vscode.workspace.onDidOpenTextDocument(again),
    vscode.workspace.onDidSaveTextDocument(again),
    vscode.workspace.onDidGrantWorkspaceTrust(again),
  );
  again();
  return {
    /** Null before the first check. */
    states: () => states,
    onDidChange: changed.event,
    dispose: (): void => void listeners.dispose(),
  };
}
