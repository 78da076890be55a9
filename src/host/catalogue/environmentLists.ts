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
import { ask } from "../server/ask.ts";
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

interface Known {
  readonly listing: Listing<EnvironmentEntry> | null;
  readonly atMs: number;
}

const LOCAL = { items: EMBEDDED_ENVIRONMENTS, ageMs: 0, isComplete: true, server: null };

export class EnvironmentLists {
  readonly #options: EnvironmentListsOptions;
  readonly #changed: Emitter<void>;
  /** Null before the first query. */
  #loading: Promise<void> | null = null;
  #known: Known | null = null;

  constructor(options: EnvironmentListsOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
  }

  get onDidChange(): Emitter<void>["event"] {
    return this.#changed.event;
  }

  /** What is known now; the first call starts loading the server's list. */
  current(): Catalogue {
    void this.ready();
    return {
      ...EMPTY_CATALOGUE,
      local: { ...EMPTY_CATALOGUE.local, environments: LOCAL },
      hosted: { ...EMPTY_CATALOGUE.hosted, environments: this.#hosted() },
    };
  }

  /** Resolves once the server's list has loaded, or loading has failed. */
  ready(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Call when the server's list has changed; does nothing before the first query. */
  reload(): void {
    if (this.#loading !== null) this.#loading = this.#load();
  }

  /** Refreshes the list now, at the user's request. @throws AppError from the service */
  refresh(): Promise<void> {
    return this.#ask(null);
  }

  /** Refreshes one hosted environment, at the user's request. @throws AppError from the service */
  refreshEnvironment(name: string): Promise<void> {
    return this.#ask(name);
  }

  /** How other models did on the tasks of a split; empty if unknown, or if no service may be contacted. */
  async difficulty(environment: string, split: string): Promise<readonly TaskDifficulty[]> {
    const access = await this.#options.access();
    if (access === null) return [];
    const request: DifficultyRequest = { access, environment, split };
    const outcome = await this.#options.server.request<RequestOutcome<readonly TaskDifficulty[]>>(
      CATALOGUE_REQUESTS.difficulty,
      request,
    );
    return outcome.ok ? outcome.value : [];
  }

  /** The log of a hosted environment's newest deployment; null if no service may be contacted. @throws AppError from the service */
  async deploymentLog(environment: string): Promise<string | null> {
    const access = await this.#options.access();
    if (access === null) return null;
    const request: DeploymentLogRequest = { access, environment };
    return await ask(this.#options.server, CATALOGUE_REQUESTS.deploymentLog, request);
  }

  async #ask(environment: string | null): Promise<void> {
    const access = await this.#options.access();
    if (access === null) return;
    const request: RefreshRequest = { access, environment };
    await ask(this.#options.server, CATALOGUE_REQUESTS.refresh, request);
    this.#loading = this.#load();
    await this.#loading;
  }

  async #load(): Promise<void> {
    const { server, variables, now, onError } = this.#options;
    try {
      const request: EnvironmentsRequest = { variables: variables() };
      const listing = await server.request<Known["listing"]>(
        CATALOGUE_REQUESTS.environments,
        request,
      );
      this.#known = { listing, atMs: now() };
      this.#changed.fire();
    } catch (error) {
      onError(error);
    }
  }

  #hosted(): Listing<EnvironmentEntry> | null {
    const { listing = null, atMs = 0 } = this.#known ?? {};
    if (listing?.ageMs == null) return listing;
    return { ...listing, ageMs: listing.ageMs + this.#options.now() - atMs };
  }
}
