/** Environments of services and of this computer as this window shows them. The server keeps the lists, and asks services for them. */

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
  /** Those that lead to services. */
  readonly variables: () => Values;
  /** Null in Restricted Mode: then no service is asked. */
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
  /** Null before someone has looked. */
  #loading: Promise<void> | null = null;
  #known: Known | null = null;

  constructor(options: EnvironmentListsOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
  }

  get onDidChange(): Emitter<void>["event"] {
    return this.#changed.event;
  }

  /** What is known now; the first look has the server say what it knows. */
  current(): Catalogue {
    void this.ready();
    return {
      ...EMPTY_CATALOGUE,
      local: { ...EMPTY_CATALOGUE.local, environments: LOCAL },
      hosted: { ...EMPTY_CATALOGUE.hosted, environments: this.#hosted() },
    };
  }

  /** Resolves once the server has said what it knows, or has failed. */
  ready(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Call it when the server knows more; nothing happens before the first look. */
  reload(): void {
    if (this.#loading !== null) this.#loading = this.#load();
  }

  /** Asks for the list now, because the user said so. @throws AppError with what the service says */
  refresh(): Promise<void> {
    return this.#ask(null);
  }

  /** Asks about one hosted environment, because the user said so. @throws AppError with what the service says */
  refreshEnvironment(name: string): Promise<void> {
    return this.#ask(name);
  }

  /** How others fared in the tasks of a split; none where nobody knows, or no service may be asked. */
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

  /** What the newest deployment of a hosted environment printed; null where no service may be asked. @throws AppError with what the service says */
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
