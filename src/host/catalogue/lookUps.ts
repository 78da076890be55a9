/** Asks services what they offer. A key goes to the host that it is bound to, and nowhere else. */

import type {
  EnvironmentEntry,
  ModelEntry,
} from "../../core/config/editing/catalogue/catalogue.ts";
import { AppError } from "../../core/errors.ts";
import {
  type EnvironmentCatalogueOptions,
  listEnvironments,
  requiredSecrets,
} from "../../core/openreward/catalogue.ts";
import { connectEnvironments } from "../../core/openreward/environments.ts";
import type { Clock, HttpClient, Log } from "../../core/ports.ts";
import { openAccount, type TinkerAccount } from "../../core/tinker/account.ts";
import { type CheckpointChange, changeStored } from "../../core/tinker/checkpointChange.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import { withLimit } from "../../core/util/abort.ts";
import { systemClock } from "../../node/clock.ts";
import type { ClosableHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import { USER_AGENT } from "../../shared/version.ts";
import type { KeySources } from "../keys/keySources.ts";
import { hostIn, type Values } from "../keys/services.ts";
import { catalogueAddress, serverOf, sessionsAddress, tinkerAddress } from "./addresses.ts";
import type { ListKind, StoredCheckpoint, StoredItems, StoredList } from "./storedLists.ts";

export interface LookUpOptions {
  readonly sources: Pick<KeySources, "valueFor">;
  /** Variables that lead to services, those of the process included. */
  readonly variables: () => Values;
  readonly openHttp: () => Promise<ClosableHttpClient>;
  readonly log: Log;
}

/** For all requests of a list together. */
const LIST_LIMIT_MS = 10_000;
/** An environment may have to start first. */
const ENVIRONMENT_LIMIT_MS = 60_000;
const MAX_PAGES = 20;
const MAX_RUNS = 100;
const MAX_CHECKPOINTS = 500;
const MAX_SPLITS = 8;
const PAGES = "https://openreward.ai";

type Lists = { readonly [Kind in ListKind]: () => Promise<StoredList<StoredItems[Kind]>> };

/** Whether a list of this kind can be asked for at all: Tinker answers nobody without a key. */
export async function canLookUp(
  kind: ListKind,
  { sources, variables }: Pick<LookUpOptions, "sources" | "variables">,
): Promise<boolean> {
  if (serverOf(kind, variables()) === null) return false;
  return kind === "environments" || (await tinkerKey(sources, variables())) !== null;
}

/**
 * Asks for one list. @throws AppError `key-missing` when there is no key for the server that the settings lead to, and whatever
 * the services fail with
 */
export async function lookUpList<Kind extends ListKind>(
  kind: Kind,
  options: LookUpOptions,
): Promise<StoredList<StoredItems[Kind]>> {
  return limited(LIST_LIMIT_MS, options, (connection) => {
    const lists: Lists = {
      environments: () => environmentList(options, connection),
      models: () => fromAccount(options, connection, modelList),
      checkpoints: () => fromAccount(options, connection, checkpointList),
    };
    return lists[kind]();
  });
}

/** Splits with their tasks, tools and secrets of one hosted environment. @throws as {@link lookUpList} */
export async function lookUpEnvironment(
  name: string,
  options: LookUpOptions,
): Promise<Pick<EnvironmentEntry, "splits" | "tools" | "secrets">> {
  return limited(ENVIRONMENT_LIMIT_MS, options, async ({ http, clock, signal }) => {
    const values = options.variables();
    const baseUrl = sessionsAddress(values);
    const apiKey = await openRewardKey(options.sources, values);
    if (baseUrl === null || apiKey === null) throw noKey("OpenReward");
    const dependencies = { http, clock, random: systemRandom, log: options.log };
    const remote = connectEnvironments({
      ...dependencies,
      baseUrl,
      apiKey,
      userAgent: USER_AGENT,
    }).environment(name);
    try {
      const catalogue = await catalogueOptions(options, { http, signal });
      const [names, { tools }, secrets] = await Promise.all([
        remote.splits({ signal }),
        remote.tools({ signal }),
        catalogue === null ? [] : requiredSecrets(catalogue, plain(name)).catch(() => []),
      ]);
      const splits = await Promise.all(
        names.map(async ({ name: split }, index) => ({
          name: split,
          tasks: index < MAX_SPLITS ? await remote.numTasks(split, { signal }) : null,
        })),
      );
      return { splits, tools: tools.map((tool) => tool.name), secrets };
    } finally {
      await remote.release();
    }
  });
}

/** The service of a run. */
export interface ServiceOfRun {
  /** As its configuration names it; null = as the settings lead, or the official one. */
  readonly baseUrl: string | null;
  /** Asks the user whether a key that is bound to another host may go to this origin. */
  readonly mayGoTo: (origin: string) => Promise<boolean>;
}

/**
 * Changes a hosted checkpoint, or deletes it. @throws as {@link lookUpList}; `key-host-not-allowed`; `tinker-not-found` when it is
 * gone already
 */
export async function changeHostedCheckpoint(
  path: string,
  change: CheckpointChange,
  { baseUrl, mayGoTo }: ServiceOfRun,
  options: LookUpOptions,
): Promise<void> {
  const ofRun = baseUrl === null ? options : await at(baseUrl, mayGoTo, options);
  await limited(LIST_LIMIT_MS, ofRun, async (connection) => {
    const { account } = await accountOf(ofRun, connection);
    await changeStored(account, path, change);
  });
}

/** Leads to `baseUrl`, with the key if it may go there. */
async function at(
  baseUrl: string,
  mayGoTo: ServiceOfRun["mayGoTo"],
  options: LookUpOptions,
): Promise<LookUpOptions> {
  const values = { ...options.variables(), TINKER_BASE_URL: baseUrl };
  const host = hostIn("tinker", values);
  const key = await options.sources.valueFor("tinker");
  const isBound = key === null || key.host === host;
  // An address that is not safe leads nowhere, whatever the user says.
  if (!isBound && tinkerAddress(values) !== null && !(await mayGoTo(new URL(baseUrl).origin))) {
    throw new AppError(
      "key-host-not-allowed",
      `TINKER_API_KEY may not go to ${new URL(baseUrl).origin}, where this run was trained. Run the command again to allow it.`,
    );
  }
  const allowed = key === null ? null : { ...key, host };
  return { ...options, variables: () => values, sources: { valueFor: async () => allowed } };
}

interface Connection {
  readonly http: HttpClient;
  /** Sleeps no longer than the limit. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Nothing that `work` began goes on after the limit. */
async function limited<Result>(
  limitMs: number,
  { openHttp }: LookUpOptions,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const over = new AppError("timeout", `No answer within ${limitMs / 1000} seconds.`);
  return await withLimit({ clock: systemClock, limitMs, onLimit: () => over }, async (limit) => {
    const { signal } = limit;
    const either = (other: AbortSignal | undefined): AbortSignal =>
      other === undefined ? signal : AbortSignal.any([signal, other]);
    const client = await openHttp();
    try {
      return await work({
        signal,
        http: { send: (request) => client.send({ ...request, signal: either(request.signal) }) },
        clock: { ...systemClock, sleep: (ms, other) => systemClock.sleep(ms, either(other)) },
      });
    } finally {
      limit.abort(over);
      await client.close();
    }
  });
}

async function environmentList(
  lookUp: LookUpOptions,
  connection: Pick<Connection, "http" | "signal">,
): Promise<StoredList<EnvironmentEntry>> {
  const options = await catalogueOptions(lookUp, connection);
  if (options === null) throw noKey("OpenReward");
  const { items, isComplete } = await listEnvironments(options, MAX_PAGES);
  const entries = items.map(({ name, description }) => ({
    name,
    description,
    splits: null,
    tools: null,
    secrets: [],
    page: `${PAGES}/${name.split("/").map(encodeURIComponent).join("/")}`,
  }));
  return { items: entries, isComplete, server: options.apiUrl, atMs: Date.now() };
}

async function modelList(account: TinkerAccount, server: string): Promise<StoredList<ModelEntry>> {
  const models = (await account.models()).filter(({ isTrainable }) => isTrainable);
  const items = models.map(({ name, maxContextLength }) => ({
    name,
    contextTokens: maxContextLength,
    maxRank: null,
    note: null,
  }));
  return { items, isComplete: true, server, atMs: Date.now() };
}

async function checkpointList(
  account: TinkerAccount,
  server: string,
): Promise<StoredList<StoredCheckpoint>> {
  const [found, runs] = await Promise.all([
    account.checkpoints(MAX_CHECKPOINTS),
    account.runs(MAX_RUNS),
  ]);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const items = found.flatMap(({ path, time, expiresAt, sizeBytes, userMetadata }) => {
    const { run: id, kind } = partsOf(path);
    if (kind !== "weights") return [];
    const run = byId.get(id);
    const completed = Number(userMetadata["step"] ?? 0);
    return {
      path,
      sizeBytes,
      savedAtMs: timeOf(time),
      expiresAtMs: timeOf(expiresAt),
      model: run?.baseModel ?? null,
      rank: run?.loraRank ?? null,
      run: textOf(run?.userMetadata["run"]),
      kind: null,
      isGone: false,
      step: Number.isInteger(completed) && completed > 0 ? completed - 1 : null,
    };
  });
  return { items, isComplete: found.length < MAX_CHECKPOINTS, server, atMs: Date.now() };
}

async function fromAccount<Item>(
  options: LookUpOptions,
  connection: Connection,
  list: (account: TinkerAccount, server: string) => Promise<StoredList<Item>>,
): Promise<StoredList<Item>> {
  const { account, server } = await accountOf(options, connection);
  return list(account, server);
}

async function accountOf(
  { sources, variables, log }: LookUpOptions,
  { http, clock }: Connection,
): Promise<{ readonly account: TinkerAccount; readonly server: string }> {
  const server = tinkerAddress(variables());
  const apiKey = await tinkerKey(sources, variables());
  if (server === null || apiKey === null) throw noKey("Tinker");
  const options = { http, clock, random: systemRandom, log, baseUrl: server, apiKey };
  return { account: await openAccount(options), server };
}

async function catalogueOptions(
  { sources, variables }: LookUpOptions,
  { http, signal }: Pick<Connection, "http" | "signal">,
): Promise<(EnvironmentCatalogueOptions & { readonly signal: AbortSignal }) | null> {
  const values = variables();
  const apiUrl = catalogueAddress(values);
  if (apiUrl === null) return null;
  // Another host than the one a key is bound to gets none; what is public needs none.
  const isOfficial = hostIn("openreward", values) === null;
  const apiKey = isOfficial ? await openRewardKey(sources, values) : null;
  return { http, signal, apiUrl, apiKey, userAgent: USER_AGENT };
}

/** Null when it is not set, or is bound to another host than the one that is used. */
async function tinkerKey(
  sources: LookUpOptions["sources"],
  values: Values,
): Promise<string | null> {
  const key = await sources.valueFor("tinker");
  return key !== null && key.host === hostIn("tinker", values) ? key.value : null;
}

async function openRewardKey(
  sources: LookUpOptions["sources"],
  values: Values,
): Promise<string | null> {
  const key = await sources.valueFor("openreward");
  return key !== null && key.host === hostIn("openreward", values) ? key.value : null;
}

function noKey(service: string): AppError {
  return new AppError(
    "key-missing",
    `There is no key for ${service} at the address that is set. Use Set API Key to add one.`,
  );
}

function partsOf(path: string): { readonly run: string; readonly kind: string } {
  try {
    return parseTinkerPath(path);
  } catch {
    return { run: "", kind: "" };
  }
}

function plain(name: string): string {
  return name.replace(/:[^/]*$/, "");
}

function timeOf(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
