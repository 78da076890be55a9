/** The context of a configuration beyond its text: from this extension, or defaults for any other editor. */

import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Connection, InitializeParams } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { type ConfigContext, EDITOR_REQUESTS } from "../api/config.ts";
import type { Catalogue } from "../core/config/editing/catalogue/catalogue.ts";
import { EMBEDDED_CATALOGUE } from "../core/config/editing/catalogue/embedded.ts";
import { namesToLoad } from "../core/config/editing/catalogue/namesToLoad.ts";
import type { DiagnoseOptions } from "../core/config/editing/diagnostics/diagnose.ts";
import { CONFIG_NAMES, hasModeline, isConfigName } from "../shared/configNames.ts";
import type { WindowCatalogue } from "./catalogue.ts";

/** How long completion waits for names from a service before it continues without them. */
const PATIENCE_MS = 1_000;
const SCHEMA_MODELINE = /^#\s*yaml-language-server:\s*\$schema=/m;
/** Context for every editor except this extension, which provides its own. */
const OTHER_EDITOR: ConfigContext = {
  configNames: CONFIG_NAMES,
  overrides: [],
  advice: "all",
  schemaChecker: "none",
  // Such editors do not report whether the folder is trusted.
  readsData: false,
  lenses: null,
  wantsHints: false,
  secrets: null,
  variables: {},
};

/** An open configuration with everything needed to interpret its text. */
export interface OpenConfig extends ConfigContext {
  readonly document: TextDocument;
  readonly text: string;
  readonly options: DiagnoseOptions & { readonly path: string; readonly catalogue: Catalogue };
}

export interface EditorContextOptions {
  readonly connection: Connection;
  readonly client: InitializeParams;
  /** True if the client is this extension, which answers the requests in `api/config.ts`. */
  readonly isOwn: boolean;
  readonly catalogue: WindowCatalogue;
}

/** Looks up the editor's context for each configuration. */
export class EditorContext {
  readonly #options: EditorContextOptions;
  /** Cached answers from the editor, by document URI. */
  readonly #said = new Map<string, Promise<ConfigContext>>();

  constructor(options: EditorContextOptions) {
    this.#options = options;
  }

  /** Null if the document is not a configuration. */
  async of(document: TextDocument): Promise<OpenConfig | null> {
    const { client, isOwn } = this.#options;
    const context = isOwn ? await this.#ask(document.uri) : OTHER_EDITOR;
    const text = document.getText();
    const name = decodeURIComponent(new URL(document.uri).pathname);
    const { configNames, overrides, advice, schemaChecker } = context;
    if (!isConfigName(name, configNames) && !hasModeline(text.split("\n", 5))) return null;
    const hasSchemaChecker =
      schemaChecker === "all" || (schemaChecker === "modeline" && SCHEMA_MODELINE.test(text));
    const catalogue = isOwn ? this.#options.catalogue.current(context) : EMBEDDED_CATALOGUE;
    const folders = {
      workspace: (client.workspaceFolders ?? []).map(({ uri }) => pathOf(uri)),
      home: homedir(),
    };
    const path = nameOf(document);
    const options = { path, overrides, advice, hasSchemaChecker, catalogue, folders };
    return { ...context, document, text, options };
  }

  /** Invalidates the cached context of `uri`, or of all documents. */
  forget(uri?: string): void {
    if (uri === undefined) this.#said.clear();
    else this.#said.delete(uri);
  }

  /** Updates the lists that help at `offset`. False if they do not arrive in time; completion then offers what is already known. */
  async update({ text, options, variables }: OpenConfig, offset: number): Promise<boolean> {
    const wanted = namesToLoad(text, offset, options);
    const { isOwn, catalogue } = this.#options;
    if (!isOwn || wanted.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    const done = catalogue.update(wanted, variables).then(
      () => true,
      () => true,
    );
    const isUpToDate = await Promise.race([done, late]);
    clearTimeout(timer);
    return isUpToDate;
  }

  #ask(uri: string): Promise<ConfigContext> {
    const known = this.#said.get(uri);
    if (known !== undefined) return known;
    const { connection } = this.#options;
    const said = connection.sendRequest<ConfigContext>(EDITOR_REQUESTS.context, { uri });
    this.#said.set(uri, said);
    said.catch(() => this.forget(uri));
    return said;
  }
}

/** The path of a file URI, or the path part of any other URI. */
export function pathOf(uri: string): string {
  return uri.startsWith("file:") ? fileURLToPath(uri) : new URL(uri).pathname;
}

/** A name whose extension distinguishes YAML from JSON; an unsaved document has only its language id. */
function nameOf({ uri, languageId }: TextDocument): string {
  const path = pathOf(uri);
  const isJson = languageId === "json" || languageId === "jsonc";
  return isJson && !path.endsWith(".json") ? `${path}.json` : path;
}
