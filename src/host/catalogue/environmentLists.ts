/** Environments from services and this computer for the window's views. The server stores the lists and queries services. */

import {
  CATALOGUE_REQUESTS,
  type CatalogueAccess,
  type DeploymentLogRequest,
  type DifficultyRequest,
  type EnvironmentsRequest,
  type RefreshRequest,
} from "../../api/catalogue.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import {
  type Catalogue,
  EMPTY_CATALOGUE,
  type EnvironmentEntry,
  type Listing,
} from "../../core/config/editing/catalogue/catalogue.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../core/config/editing/catalogue/embedded.ts";
import type { TaskDifficulty } from "../../core/openreward/catalogue.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { answerOf } from "../server/ask.ts";
import type { Server } from "../server/server.ts";

export interface EnvironmentListsOptions {
  readonly server: Pick<Server, "request">;
  /** Variables with service addresses. */
  readonly variables: () => Values;
  /** Null in Restricted Mode, in which no service is contacted. */
  readonly access: () => Promise<CatalogueAccess | null>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const LOCAL = { items: EMBEDDED_ENVIRONMENTS, ageMs: 0, isComplete: true, server: null };

type Hosted = Listing<EnvironmentEntry> | null;

/** The server's list, as last loaded. */
function hostedList({ server, variables, now, onError }: EnvironmentListsOptions) {
  const changed = new Emitter<void>(onError);
  /** Null before the first query. */
  let loading: Promise<void> | null = null;
  let known: { readonly listing: Hosted; readonly atMs: number } = { listing: null, atMs: 0 };
  const load = async (): Promise<void> => {
    try {
      const request: EnvironmentsRequest = { variables: variables() };
      const listing = await server.request<Hosted>(CATALOGUE_REQUESTS.environments, request);
      known = { listing, atMs: now() };
      changed.fire();
    } catch (error) {
      onError(error);
    }
  };
  const reload = (): Promise<void> => {
    loading = load();
    return loading;
  };
  return {
    onDidChange: changed.event,
    reload,
    ready: (): Promise<void> => loading ?? reload(),
    isWanted: (): boolean => loading !== null,
    current: (): Hosted => {
      const { listing, atMs } = known;
      if (listing?.ageMs == null) return listing;
      return { ...listing, ageMs: listing.ageMs + now() - atMs };
    },
  };
}

export type EnvironmentLists = ReturnType<typeof createEnvironmentLists>;

export function createEnvironmentLists(options: EnvironmentListsOptions) {
  const list = hostedList(options);
  /** Null if no service may be contacted. */
  const asked = async <Answer>(
    method: string,
    about: object,
  ): Promise<RequestOutcome<Answer> | null> => {
    const access = await options.access();
    return access && (await options.server.request(method, { access, ...about }));
  };
  return {
    onDidChange: list.onDidChange,
    /** What is known now; the first call starts loading the server's list. */
    current: (): Catalogue => {
      void list.ready();
      return {
        ...EMPTY_CATALOGUE,
        local: { ...EMPTY_CATALOGUE.local, environments: LOCAL },
        hosted: { ...EMPTY_CATALOGUE.hosted, environments: list.current() },
      };
    },
    /** Resolves once the server's list has loaded, or loading has failed. */
    ready: list.ready,
    /** Call when the server's list has changed; does nothing before the first query. */
    reload: (): void => {
      if (list.isWanted()) void list.reload();
    },
    /** Refreshes one hosted environment, or with null the list, at the user's request. @throws AppError from the service */
    refresh: async (environment: string | null): Promise<void> => {
      const about: Omit<RefreshRequest, "access"> = { environment };
      const outcome = await asked<null>(CATALOGUE_REQUESTS.refresh, about);
      if (outcome === null) return;
      answerOf(outcome);
      await list.reload();
    },
    /** How other models did on the tasks of a split; empty if unknown, or if no service may be contacted. */
    difficulty: async (environment: string, split: string): Promise<readonly TaskDifficulty[]> => {
      const about: Omit<DifficultyRequest, "access"> = { environment, split };
      const { difficulty } = CATALOGUE_REQUESTS;
      const outcome = await asked<readonly TaskDifficulty[]>(difficulty, about);
      return outcome?.ok === true ? outcome.value : [];
    },
    /** The log of a hosted environment's newest deployment; null if no service may be contacted. @throws AppError from the service */
    deploymentLog: async (environment: string): Promise<string | null> => {
      const about: Omit<DeploymentLogRequest, "access"> = { environment };
      const outcome = await asked<string>(CATALOGUE_REQUESTS.deploymentLog, about);
      return outcome && answerOf(outcome);
    },
  };
}
