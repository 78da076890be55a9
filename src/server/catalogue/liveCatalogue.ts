/** The names offered for configurations: embedded ones, the latest from services, and what this window's runs have saved. */

import { type CatalogueAccess, canLookUp, type ListKind, serverOf } from "../../api/catalogue.ts";
import {
  type Catalogue,
  type CatalogueCheckpoint,
  EMPTY_CATALOGUE,
  type EnvironmentEntry,
  findEnvironment,
  type Listing,
  type SecretState,
  unknownEnvironment,
} from "../../core/config/editing/catalogue/catalogue.ts";
import {
  EMBEDDED_ENVIRONMENTS,
  EMBEDDED_MODELS,
} from "../../core/config/editing/catalogue/embedded.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import { Emitter } from "../../core/util/emitter.ts";
import {
  fitForStorage,
  type KeptCheckpoint,
  LIST_KINDS,
  type StoredItems,
  type StoredList,
  type StoredLists,
} from "./storedLists.ts";

export interface LiveCatalogueOptions {
  readonly files: Pick<StoredLists, "read" | "write">;
  /** Queries a service, with a time limit. */
  readonly lookUp: <Kind extends ListKind>(
    kind: Kind,
    access: CatalogueAccess,
  ) => Promise<StoredList<StoredItems[Kind]>>;
  readonly lookUpEnvironment: (
    name: string,
    access: CatalogueAccess,
  ) => Promise<Pick<EnvironmentEntry, "splits" | "tools" | "secrets">>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** Completion does not refresh lists younger than this. */
const FRESH_MS = 10 * 60_000;
/** Delay before retrying after a failure. */
const PAUSE_MS = 60_000;

/** The context for reading lists: the variables that select servers, and the available secrets. */
export interface CatalogueView {
  readonly variables: Values;
  /** Null if lookups are not allowed. */
  readonly secrets: readonly SecretState[] | null;
}

type Lists = { [Kind in ListKind]: StoredList<StoredItems[Kind]> | null };

export class LiveCatalogue {
  readonly #options: LiveCatalogueOptions;
  readonly #changed: Emitter<ListKind>;
  /** Fires with the kind of list that changed. */
  readonly onDidChange: Emitter<ListKind>["event"];
  readonly #lists: Lists = { environments: null, models: null, checkpoints: null };
  readonly #underWay = new Map<ListKind, Promise<void>>();
  readonly #failedAtMs = new Map<ListKind, number>();
  #saved: readonly KeptCheckpoint[] = [];
  #rewards: ReadonlyMap<string, number | null> = new Map();

  constructor(options: LiveCatalogueOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
    this.onDidChange = this.#changed.event;
  }

  /** Reads the cached lists from disk, without network access. */
  async load(): Promise<void> {
    await Promise.all(LIST_KINDS.map((kind) => this.#load(kind)));
    for (const kind of LIST_KINDS) if (this.#lists[kind] !== null) this.#changed.fire(kind);
  }

  /** Excludes lists from servers other than the configured one. */
  current({ variables, secrets }: CatalogueView): Catalogue {
    return {
      ...EMPTY_CATALOGUE,
      local: {
        environments: embedded(EMBEDDED_ENVIRONMENTS),
        models: embedded(EMBEDDED_MODELS),
        checkpoints: {
          items: this.#saved.map((saved) => this.#checkpoint(saved)),
          // Runs from other windows are missing.
          ageMs: 0,
          isComplete: false,
          server: null,
        },
      },
      hosted: {
        environments: this.environments(variables),
        models: this.#listing("models", variables),
        checkpoints: this.#hostedCheckpoints(variables),
      },
      secrets,
    };
  }

  /** The environments of the configured server; null until they are first fetched. */
  environments(variables: Values): Listing<EnvironmentEntry> | null {
    return this.#listing("environments", variables);
  }

  /** Refreshes the wanted lists that are stale, using the access that `access` grants; null = lookups are not allowed. */
  async update(
    wanted: readonly ListKind[],
    variables: Values,
    access: (stale: readonly ListKind[]) => Promise<CatalogueAccess | null>,
  ): Promise<void> {
    const stale = wanted.filter((kind) => this.#isStale(kind, variables));
    const given = stale.length === 0 ? null : await access(stale);
    if (given === null) return;
    const possible = stale.filter((kind) => canLookUp(kind, given));
    await Promise.all(
      possible.map((kind) => this.refresh(kind, given).catch(this.#options.onError)),
    );
  }

  /** Refreshes a list now. Concurrent requests for the same list share one lookup. @throws any error from the service */
  refresh(kind: ListKind, access: CatalogueAccess): Promise<void> {
    const running = this.#underWay.get(kind);
    if (running !== undefined) return running;
    const asking = this.#lookUp(kind, access).finally(() => this.#underWay.delete(kind));
    this.#underWay.set(kind, asking);
    return asking;
  }

  /** Refreshes one hosted environment, at the user's request. @throws any error from the service */
  async refreshEnvironment(name: string, access: CatalogueAccess): Promise<void> {
    const { lookUpEnvironment, now } = this.#options;
    const { variables } = access;
    const server = serverOf("environments", variables);
    if (server === null) return;
    const known = findEnvironment(this.current({ variables, secrets: null }), name);
    const found = {
      ...(known ?? unknownEnvironment(name)),
      name,
      ...(await lookUpEnvironment(name, access)),
    };
    const before = this.#shown("environments", variables);
    const list = before ?? { server, atMs: now(), isComplete: false, items: [] };
    const others = list.items.filter((item) => item.name !== name);
    await this.#keep("environments", { ...list, items: [...others, found] });
  }

  /** Sets the checkpoints saved by this window's runs; `rewards` by path. */
  setSaved(saved: readonly KeptCheckpoint[], rewards: ReadonlyMap<string, number | null>): void {
    this.#saved = saved;
    this.#rewards = rewards;
    this.#changed.fire("checkpoints");
  }

  async #load<Kind extends ListKind>(kind: Kind): Promise<void> {
    const lists: { [K in Kind]: Lists[K] } = this.#lists;
    lists[kind] = (await this.#options.files.read(kind)) as Lists[Kind]; // the same kind on both sides
  }

  async #lookUp<Kind extends ListKind>(kind: Kind, access: CatalogueAccess): Promise<void> {
    try {
      const found = await this.#options.lookUp(kind, access);
      this.#failedAtMs.delete(kind);
      await this.#keep(kind, found);
    } catch (error) {
      this.#failedAtMs.set(kind, this.#options.now());
      throw error;
    }
  }

  async #keep<Kind extends ListKind>(
    kind: Kind,
    list: StoredList<StoredItems[Kind]>,
  ): Promise<void> {
    const known = this.#lists.environments;
    const lists: { [K in Kind]: Lists[K] } = this.#lists;
    lists[kind] = fitForStorage(kind, list) as Lists[Kind]; // the same kind on both sides
    this.#lists.environments = withDetails(this.#lists.environments, known);
    const kept: StoredList<StoredItems[Kind]> | null = lists[kind];
    this.#changed.fire(kind);
    if (kept !== null) await this.#options.files.write(kind, kept);
  }

  #isStale(kind: ListKind, variables: Values): boolean {
    const now = this.#options.now();
    const failedAtMs = this.#failedAtMs.get(kind);
    if (failedAtMs !== undefined && now - failedAtMs < PAUSE_MS) return false;
    const list = this.#shown(kind, variables);
    // A list dated in the future counts as stale: the clock was set back.
    return list === null || Math.abs(now - list.atMs) >= FRESH_MS;
  }

  /** The list, unless the variables now select a different server. */
  #shown<Kind extends ListKind>(
    kind: Kind,
    variables: Values,
  ): StoredList<StoredItems[Kind]> | null {
    const lists: { readonly [K in Kind]: Lists[K] } = this.#lists;
    const list: StoredList<StoredItems[Kind]> | null = lists[kind];
    return list?.server === serverOf(kind, variables) ? list : null;
  }

  #listing<Kind extends "environments" | "models">(
    kind: Kind,
    variables: Values,
  ): Listing<StoredItems[Kind]> | null {
    const list = this.#shown(kind, variables);
    return list === null ? null : { ...this.#facts(list), items: list.items };
  }

  #hostedCheckpoints(variables: Values): Listing<CatalogueCheckpoint> | null {
    const list = this.#shown("checkpoints", variables);
    if (list === null) return null;
    const saved = new Set(this.#saved.map(({ path }) => path));
    const items = list.items.filter(({ path }) => !saved.has(path));
    return { ...this.#facts(list), items: items.map((item) => this.#checkpoint(item)) };
  }

  #facts({ atMs, isComplete }: StoredList<unknown>): Omit<Listing<unknown>, "items"> {
    // Null, because the list comes from the server that configurations without their own address use.
    return { ageMs: Math.max(0, this.#options.now() - atMs), isComplete, server: null };
  }

  #checkpoint({ savedAtMs, expiresAtMs, ...rest }: KeptCheckpoint): CatalogueCheckpoint {
    const now = this.#options.now();
    return {
      ...rest,
      reward: this.#rewards.get(rest.path) ?? null,
      ageMs: savedAtMs === null ? null : Math.max(0, now - savedAtMs),
      expiresInMs: expiresAtMs === null ? null : expiresAtMs - now,
    };
  }
}

/** Keeps details fetched earlier, because lists contain only names. */
function withDetails(
  list: StoredList<EnvironmentEntry> | null,
  before: StoredList<EnvironmentEntry> | null,
): StoredList<EnvironmentEntry> | null {
  if (list === null || before === null || list === before) return list;
  if (list.server !== before.server) return list;
  const known = new Map(
    before.items.filter(({ splits }) => splits !== null).map((entry) => [entry.name, entry]),
  );
  const items = list.items.map((entry) => {
    const { splits, tools, secrets } = known.get(entry.name) ?? entry;
    return entry.splits === null ? { ...entry, splits, tools, secrets } : entry;
  });
  return { ...list, items };
}

function embedded<Item>(items: readonly Item[]): Listing<Item> {
  return { items, ageMs: 0, isComplete: true, server: null };
}
