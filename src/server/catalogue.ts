/** The names that the window's configurations may use, and measurements of its runs. */

import { join } from "node:path";
import { CancellationToken } from "vscode-languageserver";
import {
  CATALOGUE_ACCESS,
  CATALOGUE_CHANGED,
  CATALOGUE_REQUESTS,
  type CatalogueAccess,
  type CatalogueAccessRequest,
  catalogueAccessSchema,
  deploymentLogRequestSchema,
  difficultyRequestSchema,
  environmentsRequestSchema,
  type ListKind,
  refreshRequestSchema,
} from "../api/catalogue.ts";
import {
  type Catalogue,
  type EnvironmentEntry,
  type Listing,
  plainName,
} from "../core/config/editing/catalogue/catalogue.ts";
import type { MeasuredRun } from "../core/config/editing/display/measuredRun.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import type { Values } from "../core/secrets/serviceHosts.ts";
import { raceAbort } from "../core/util/abort.ts";
import { Emitter, type Listening } from "../core/util/emitter.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { debugLog } from "../trainer/services/debugLog.ts";
import type { LookUpOptions } from "./catalogue/connection.ts";
import { deploymentLogText } from "./catalogue/deploymentLogText.ts";
import { KnownDifficulties } from "./catalogue/knownDifficulties.ts";
import { type CatalogueView, LiveCatalogue } from "./catalogue/liveCatalogue.ts";
import { MeasuredRuns } from "./catalogue/measuredRuns.ts";
import { RunCheckpoints } from "./catalogue/runCheckpoints.ts";
import { StoredLists } from "./catalogue/storedLists.ts";
import { answerRequests, type RequestScope, type ServerOptions } from "./openRequests.ts";
import type { WindowRuns } from "./runs/windowRuns.ts";

/** The catalogue as language features use it. */
export interface WindowCatalogue {
  /** Lists are cached in `storageFolder`. */
  readonly open: (storageFolder: string) => void;
  readonly current: (view: CatalogueView) => Catalogue;
  /** Updates lists, if the editor allows requests to services. */
  readonly update: (wanted: readonly ListKind[], variables: Values) => Promise<void>;
  /** For the newest run of the configuration at `path`; null until a run has been read. */
  readonly measuredRun: (
    path: string,
  ) => { readonly folder: string; readonly run: MeasuredRun | null } | null;
  readonly onDidChange: (listener: () => void) => Listening;
  readonly onDidChangeMeasures: (listener: () => void) => Listening;
}

export function serveCatalogue(server: ServerOptions, { store }: WindowRuns): WindowCatalogue {
  const { connection, trainer, requests } = server;
  const onError = (error: unknown): void =>
    connection.console.warn(errorMessage(requests.redactError(error)));
  const changed = new Emitter<void>(onError);
  const fileSystem = createFileSystem();
  const measured = new MeasuredRuns({ store, fileSystem, onError });
  let opened: LiveCatalogue | null = null;
  let loaded: Promise<void> | null = null;
  const optionsFor = (access: CatalogueAccess): LookUpOptions => ({
    access,
    openHttp: async () => (await import("../node/http.ts")).createHttpClient(),
    log: debugLog,
  });
  const catalogue = (): LiveCatalogue => {
    if (opened !== null) return opened;
    throw new AppError("bug", "The editor has not said where lists are kept.");
  };
  /** Waits for the cached lists, because loading them would overwrite fetched ones. */
  const loadedCatalogue = async (): Promise<LiveCatalogue> => {
    await loaded;
    return catalogue();
  };

  connection.onRequest(
    CATALOGUE_REQUESTS.environments,
    async (request: unknown): Promise<Listing<EnvironmentEntry> | null> => {
      const { variables } = environmentsRequestSchema.parse(request);
      return (await loadedCatalogue()).environments(variables);
    },
  );
  answerRequests(
    server,
    CATALOGUE_REQUESTS.refresh,
    refreshRequestSchema,
    async ({ access, environment }, scope) => {
      learn(access, scope);
      const lists = await loadedCatalogue();
      const asked =
        environment === null
          ? lists.refresh("environments", access)
          : lists.refreshEnvironment(environment, access);
      await raceAbort(asked, scope.signal);
      return null;
    },
  );

  const difficulties = new KnownDifficulties(
    (task, access) => trainer.lookUpDifficulty(task, optionsFor(access)),
    Date.now,
  );
  answerRequests(
    server,
    CATALOGUE_REQUESTS.difficulty,
    difficultyRequestSchema,
    async (wanted, scope) => {
      learn(wanted.access, scope);
      return await raceAbort(difficulties.of(wanted), scope.signal);
    },
  );

  answerRequests(
    server,
    CATALOGUE_REQUESTS.deploymentLog,
    deploymentLogRequestSchema,
    async ({ access, environment }, scope) => {
      learn(access, scope);
      const asked = trainer.lookUpDeploymentLog(plainName(environment), optionsFor(access));
      const log = await raceAbort(asked, scope.signal);
      return scope.redactor.redact(deploymentLogText(plainName(environment), log));
    },
  );

  return {
    open: (storageFolder) => {
      opened = new LiveCatalogue({
        files: new StoredLists(join(storageFolder, "catalogue"), fileSystem),
        lookUp: (kind, access) => trainer.lookUpList(kind, optionsFor(access)),
        lookUpEnvironment: (name, access) => trainer.lookUpEnvironment(name, optionsFor(access)),
        now: Date.now,
        onError,
      });
      opened.onDidChange((kind) => {
        changed.fire();
        if (kind !== "environments") return;
        // Rejects when the editor has disconnected.
        connection.sendNotification(CATALOGUE_CHANGED).catch(() => undefined);
      });
      new RunCheckpoints({
        store,
        fileSystem,
        onError,
        onFound: (saved, rewards) => opened?.setSaved(saved, rewards),
      });
      loaded = opened.load().catch(onError);
    },
    current: (view) => catalogue().current(view),
    update: async (wanted, variables) => {
      await requests.run(CancellationToken.None, (scope) => {
        const access = async (stale: readonly ListKind[]): Promise<CatalogueAccess | null> => {
          const request: CatalogueAccessRequest = { wanted: stale };
          const answer = await connection.sendRequest<unknown>(CATALOGUE_ACCESS, request);
          const given = catalogueAccessSchema.nullable().parse(answer);
          if (given !== null) learn(given, scope);
          return given;
        };
        const update = async (): Promise<void> =>
          (await loadedCatalogue()).update(wanted, variables, access);
        return raceAbort(update(), scope.signal);
      });
    },
    measuredRun: (path) => measured.of(path),
    onDidChange: changed.event,
    onDidChangeMeasures: (listener) => measured.onDidChange(listener),
  };
}

function learn({ keys }: CatalogueAccess, { redactor }: Pick<RequestScope, "redactor">): void {
  for (const { value } of Object.values(keys)) redactor.learn(value);
}
