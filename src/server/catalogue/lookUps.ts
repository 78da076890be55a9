/** Queries services for what they offer. */

import { boundKey, type ListKind } from "../../api/catalogue.ts";
import {
  type EnvironmentEntry,
  type ModelEntry,
  plainName,
} from "../../core/config/editing/catalogue/catalogue.ts";
import {
  type DeploymentLog,
  deploymentLog,
  listEnvironments,
  requiredSecrets,
  type TaskDifficulty,
  taskDifficulty,
} from "../../core/openreward/catalogue.ts";
import { connectEnvironments } from "../../core/openreward/environments.ts";
import { safeAddress } from "../../core/secrets/serviceHosts.ts";
import { OPENREWARD_PAGES_URL } from "../../core/services.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import { systemRandom } from "../../node/random.ts";
import { USER_AGENT } from "../../shared/version.ts";
import {
  type Account,
  accountOf,
  type CatalogueConnection,
  catalogueOptions,
  type LookUpOptions,
  limited,
  noKey,
} from "./connection.ts";
import { timeOf } from "./runCheckpoints.ts";
import type { KeptCheckpoint, StoredItems, StoredList } from "./storedLists.ts";

/** Limit for all requests of one list. */
const LIST_LIMIT_MS = 10_000;
/** Longer, because the environment may have to start first. */
const ENVIRONMENT_LIMIT_MS = 60_000;
const MAX_PAGES = 20;
const MAX_RUNS = 100;
const MAX_CHECKPOINTS = 500;
const MAX_SPLITS = 8;

type Lists = { readonly [Kind in ListKind]: () => Promise<StoredList<StoredItems[Kind]>> };

/**
 * Fetches one list.
 * @throws AppError `key-missing` without a key for the configured server, or any error from the services
 */
export async function lookUpList<Kind extends ListKind>(
  kind: Kind,
  options: LookUpOptions,
): Promise<StoredList<StoredItems[Kind]>> {
  return limited(LIST_LIMIT_MS, options, (connection) => {
    const lists: Lists = {
      environments: () => environmentList(options, connection),
      models: async () => modelList(await accountOf(options, connection)),
      checkpoints: async () => checkpointList(await accountOf(options, connection)),
    };
    return lists[kind]();
  });
}

/** Fetches a hosted environment's splits (with task counts), tools and secrets. @throws like {@link lookUpList} */
export async function lookUpEnvironment(
  name: string,
  options: LookUpOptions,
): Promise<Pick<EnvironmentEntry, "splits" | "tools" | "secrets">> {
  return limited(ENVIRONMENT_LIMIT_MS, options, async ({ http, clock, signal }) => {
    const baseUrl = safeAddress("openreward", options.access.variables);
    const apiKey = boundKey("openreward", options.access);
    if (baseUrl === null || apiKey === null) throw noKey("OpenReward");
    const dependencies = { http, clock, random: systemRandom, log: options.log };
    const remote = connectEnvironments({
      ...dependencies,
      baseUrl,
      apiKey,
      userAgent: USER_AGENT,
    }).environment(name);
    try {
      const catalogue = catalogueOptions(options, { http, signal });
      const [names, { tools }, secrets] = await Promise.all([
        remote.splits({ signal }),
        remote.tools({ signal }),
        catalogue === null ? [] : requiredSecrets(catalogue, plainName(name)).catch(() => []),
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

/** How other models did on the tasks of a split. @throws like {@link lookUpList} */
export async function lookUpDifficulty(
  task: { readonly environment: string; readonly split: string },
  options: LookUpOptions,
): Promise<readonly TaskDifficulty[]> {
  return limited(LIST_LIMIT_MS, options, async (connection) => {
    const catalogue = catalogueOptions(options, connection);
    return catalogue === null ? [] : await taskDifficulty(catalogue, task);
  });
}

/** The log of a hosted environment's newest deployment; null if it has none. @throws like {@link lookUpList} */
export async function lookUpDeploymentLog(
  name: string,
  options: LookUpOptions,
): Promise<DeploymentLog | null> {
  return limited(LIST_LIMIT_MS, options, async (connection) => {
    const catalogue = catalogueOptions(options, connection);
    if (catalogue === null) throw noKey("OpenReward");
    return await deploymentLog(catalogue, name);
  });
}

async function environmentList(
  lookUp: LookUpOptions,
  connection: Pick<CatalogueConnection, "http" | "signal">,
): Promise<StoredList<EnvironmentEntry>> {
  const options = catalogueOptions(lookUp, connection);
  if (options === null) throw noKey("OpenReward");
  const { items, isComplete } = await listEnvironments(options, MAX_PAGES);
  const entries = items.map(({ name, description }) => ({
    name,
    description,
    splits: null,
    tools: null,
    secrets: [],
    page: `${OPENREWARD_PAGES_URL}/${name.split("/").map(encodeURIComponent).join("/")}`,
  }));
  return { items: entries, isComplete, server: options.apiUrl, atMs: Date.now() };
}

async function modelList({ account, server }: Account): Promise<StoredList<ModelEntry>> {
  const models = ((await account.models()) ?? []).filter(({ isTrainable }) => isTrainable);
  const items = models.map(({ name, maxContextLength }) => ({
    name,
    contextTokens: maxContextLength,
    maxRank: null,
    note: null,
  }));
  return { items, isComplete: true, server, atMs: Date.now() };
}

async function checkpointList({ account, server }: Account): Promise<StoredList<KeptCheckpoint>> {
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

function partsOf(path: string): { readonly run: string; readonly kind: string } {
  try {
    return parseTinkerPath(path);
  } catch {
    return { run: "", kind: "" };
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
