/** Requests between this extension and its server about configurations, beyond the Language Server Protocol. Imports no runtime code. */

import type { SecretState } from "../core/config/editing/catalogue/catalogue.ts";
import type { DiagnoseOptions } from "../core/config/editing/diagnostics/diagnose.ts";
import type { Values } from "../core/secrets/serviceHosts.ts";

/** Requests to the server. Each refers to an open document. */
export const CONFIG_REQUESTS = {
  /** Checks the text now, publishes diagnostics, and answers with {@link CheckCounts}. */
  check: "tinkerRL/config/check",
  /** The configuration's text as a run would resolve it. */
  effective: "tinkerRL/config/effective",
  /** Where to insert the environment `name`: an `EnvironmentInsertion`. */
  insertEnvironment: "tinkerRL/config/insertEnvironment",
  /** Where to insert the data source `entry`: edits, or null if they are not possible. */
  insertSource: "tinkerRL/config/insertSource",
  /** The text of a configuration that trains on the data file `uri`, which does not need to be open. */
  forDataset: "tinkerRL/config/forDataset",
  /** The secret at `path` and the edits that remove it: a `WrittenSecret`, or null. */
  secretAt: "tinkerRL/config/secretAt",
} as const;

/** Requests to the editor. */
export const EDITOR_REQUESTS = {
  /** A {@link ConfigContext} for `uri`. */
  context: "tinkerRL/editor/context",
} as const;

/** The editor command that moves a secret out of a configuration. Arguments: document URI, key path, `RemedyCommand`. */
export const MOVE_SECRET = "_tinkerRL.moveSecret";

/** The source of all diagnostics, by which the window recognizes those of the server. */
export const DIAGNOSTIC_SOURCE = "Tinker RL";

/** Sent by the editor when an answer to {@link EDITOR_REQUESTS} may have changed; the server caches answers until then. */
export const CONTEXT_CHANGED = "tinkerRL/editor/contextChanged";

/** The `initializationOptions` sent by this extension. */
export interface EditorHandshake {
  readonly tinkerRlVersion: string;
  /** The extension's storage folder for data kept between sessions; it does not need to exist. */
  readonly storageFolder: string;
}

export interface CheckCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** The editor's context for a configuration. */
export interface ConfigContext {
  /** File name patterns from the user's settings; other files can declare themselves in their first lines. */
  readonly configNames: readonly string[];
  /** Overrides from settings, each `key=value`; empty in Restricted Mode. */
  readonly overrides: readonly string[];
  readonly advice: NonNullable<DiagnoseOptions["advice"]>;
  /** Which texts another extension validates against the schema: `modeline` = those that reference it. */
  readonly schemaChecker: "none" | "modeline" | "all";
  /** Whether files that the configuration refers to may be read: not in Restricted Mode. */
  readonly readsData: boolean;
  /** Null = lenses are turned off. */
  readonly lenses: { readonly canStart: boolean } | null;
  /** False = hints are turned off. */
  readonly wantsHints: boolean;
  /** Null if the secret store must not be queried. */
  readonly secrets: readonly SecretState[] | null;
  /** Variables with service addresses. */
  readonly variables: Values;
}
