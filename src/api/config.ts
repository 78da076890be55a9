/** What an editor of this package and its server say to each other about configurations, beside the Language Server Protocol. Loads nothing. */

import type { SecretState } from "../core/config/editing/catalogue/catalogue.ts";
import type { DiagnoseOptions } from "../core/config/editing/diagnostics/diagnose.ts";
import type { Values } from "../core/secrets/serviceHosts.ts";

/** Requests that the server answers. Each names an open document. */
export const CONFIG_REQUESTS = {
  /** Checks the text now, marks what it finds, and answers with {@link CheckCounts}. */
  check: "tinkerRL/config/check",
  /** The text that a run would make of the configuration. */
  effective: "tinkerRL/config/effective",
  /** Where the environment `name` goes: an `EnvironmentInsertion`. */
  insertEnvironment: "tinkerRL/config/insertEnvironment",
  /** Where the source of data `entry` goes: the edits, or null where they cannot be made. */
  insertSource: "tinkerRL/config/insertSource",
  /** The text of a configuration that trains on the data file `uri`, which need not be open. */
  forDataset: "tinkerRL/config/forDataset",
  /** The secret that is written at `path`, with the edits that take it out: a `WrittenSecret`, or null. */
  secretAt: "tinkerRL/config/secretAt",
} as const;

/** Requests that the editor answers. */
export const EDITOR_REQUESTS = {
  /** A {@link ConfigContext} for `uri`. */
  context: "tinkerRL/editor/context",
} as const;

/** The command of the editor that takes a secret out of a configuration: its URI, the path of the key, and the `RemedyCommand`. */
export const MOVE_SECRET = "_tinkerRL.moveSecret";

/** Sent by the editor when an answer to {@link EDITOR_REQUESTS} may have changed; until then the server does not ask again. */
export const CONTEXT_CHANGED = "tinkerRL/editor/contextChanged";

/** The `initializationOptions` of an editor whose package is the server's own. */
export interface EditorHandshake {
  readonly tinkerRlVersion: string;
  /** A folder of the editor for what is kept between sessions; it need not exist. */
  readonly storageFolder: string;
}

export interface CheckCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** What the editor knows about a configuration. */
export interface ConfigContext {
  /** The user's names for configurations; others say it in their first lines. */
  readonly configNames: readonly string[];
  /** Overrides from settings, each as `key=value`; none in Restricted Mode. */
  readonly overrides: readonly string[];
  readonly advice: NonNullable<DiagnoseOptions["advice"]>;
  /** Which texts another program checks against the schema: `modeline` = those that name it. */
  readonly schemaChecker: "none" | "modeline" | "all";
  /** Whether the files that the configuration names may be read: not in Restricted Mode. */
  readonly readsData: boolean;
  /** Null = the user turned lenses off. */
  readonly lenses: { readonly canStart: boolean } | null;
  /** False = the user turned hints off. */
  readonly wantsHints: boolean;
  /** Null when the secret store must not be asked. */
  readonly secrets: readonly SecretState[] | null;
  /** Those that lead to services. */
  readonly variables: Values;
}
