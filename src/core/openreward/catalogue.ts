/**
 * The catalogue of hosted environments: its pages, required secrets, task difficulty, and deployment logs:
 * `docs/protocols/openreward.md#catalogue`.
 */

import * as z from "zod";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { AppError } from "../errors.ts";
import type { HttpClient } from "../ports.ts";
import { REPLY_LIMITS } from "../replyLimits.ts";
import { parseJson } from "../util/jsonl.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { creditStep } from "./faults.ts";

export interface EnvironmentCatalogueOptions {
  readonly http: HttpClient;
  /** Base URL of the catalogue; may include a path prefix. */
  readonly apiUrl: string;
  /** Null to read only public data. */
  readonly apiKey: string | null;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
}

export interface ListedEnvironment {
  /** `Owner/Name`. */
  readonly name: string;
  /** Untrusted text. */
  readonly description: string | null;
}

export interface EnvironmentPage {
  readonly items: readonly ListedEnvironment[];
  /** False when the catalogue has more pages, or when names without a server were left out. */
  readonly isComplete: boolean;
}

/** Maximum page size of the catalogue. */
const PAGE_SIZE = 100;
/** Pages requested concurrently. */
const PARALLEL_PAGES = 4;

const pageReply = z.object({
  environments: z.array(
    z.object({
      owner: z.string().min(1),
      name: z.string().min(1),
      description: z.string().nullish().catch(null),
      has_github_connection: z.boolean().nullish().catch(null),
    }),
  ),
});
type Page = z.infer<typeof pageReply>;

/** How others fared in a task. */
export interface TaskDifficulty {
  /** Index in the split, from 0. */
  readonly index: number;
  readonly meanReward: number;
  readonly minReward: number | null;
  readonly maxReward: number | null;
  /** Number of rollouts behind these values; null if unknown. */
  readonly rollouts: number | null;
}

const optionalNumber = z.number().nullish().catch(null);

const difficultyReply = z.object({
  tasks: z.array(
    z.object({
      task_index: z.int().nonnegative(),
      avg_reward: optionalNumber,
      min_reward: optionalNumber,
      max_reward: optionalNumber,
      num_rollouts: optionalNumber,
    }),
  ),
});

/** Output of an environment's deployment. */
export interface DeploymentLog {
  readonly id: string;
  readonly status: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly createdAt: string | null;
  /** Build log; null when the service has none. */
  readonly build: string | null;
  /** Latest runtime log lines, in the service's order. */
  readonly lines: readonly string[];
}

const optionalText = z.string().nullish().catch(null);

const idReply = z.object({ id: z.union([z.string(), z.number()]).transform(String) });

const deploymentsReply = z.array(
  idReply.extend({
    status: optionalText,
    gitBranch: optionalText,
    commitSha: optionalText,
    created_at: optionalText,
  }),
);

const buildLogReply = z.object({ logs: optionalText });

const runtimeLogReply = z.object({
  entries: z
    .array(z.object({ timestamp: optionalText, severity: optionalText, message: optionalText }))
    .nullish(),
});

const secretsReply = z.object({ secrets: z.array(z.string()) });

/**
 * Reads at most `maxPages` pages of 100 records. @throws AppError `environment-auth`, `environment-billing`, `environment-not-found`,
 * `environment-unavailable`, `environment-protocol`, `transport`
 */
export async function listEnvironments(
  options: EnvironmentCatalogueOptions,
  maxPages: number,
): Promise<EnvironmentPage> {
  const pages = [await page(options, 0)];
  let isAtEnd = isLast(pages[0]);
  while (!isAtEnd && pages.length < maxPages) {
    const count = Math.min(PARALLEL_PAGES, maxPages - pages.length);
    const numbers = Array.from({ length: count }, (_, index) => pages.length + index);
    const found = await Promise.all(numbers.map((number) => page(options, number)));
    pages.push(...found);
    isAtEnd = found.some(isLast);
  }
  const records = pages.flatMap(({ environments }) => environments);
  // Most names were never deployed and have no server, so the list leaves them out.
  const served = records.filter((record) => record.has_github_connection !== false);
  const items = served.map(({ owner, name, description }) => ({
    name: `${owner}/${name}`,
    description: description ?? null,
  }));
  return {
    items: [...new Map(items.map((item) => [item.name, item])).values()],
    isComplete: isAtEnd && served.length === records.length,
  };
}

/** Names of the secrets that an environment requires. @throws as {@link listEnvironments} */
export async function requiredSecrets(
  options: EnvironmentCatalogueOptions,
  name: string,
): Promise<readonly string[]> {
  const { path } = recordOf(name);
  const what = `The list of secrets of ${name}`;
  return (await ask(options, `${path}/required-secrets`, secretsReply, what)).secrets;
}

/** The tasks of a split that others have played, by index. @throws as {@link listEnvironments} */
export async function taskDifficulty(
  options: EnvironmentCatalogueOptions,
  { environment, split }: { readonly environment: string; readonly split: string },
): Promise<readonly TaskDifficulty[]> {
  const { path, variant } = recordOf(environment);
  const query = new URLSearchParams(withoutUndefined({ split, variant }));
  const what = `The difficulty of the tasks of ${environment}`;
  const { tasks } = await ask(options, `${path}/task-difficulty?${query}`, difficultyReply, what);
  const known = tasks.flatMap(({ task_index: index, ...task }) => {
    const { avg_reward: meanReward, min_reward, max_reward, num_rollouts } = task;
    if (meanReward == null) return [];
    return [
      {
        index,
        meanReward,
        minReward: min_reward ?? null,
        maxReward: max_reward ?? null,
        rollouts: num_rollouts ?? null,
      },
    ];
  });
  return known.sort((a, b) => a.index - b.index);
}

/** Maximum number of runtime log lines. */
const LOG_LINES = 500;

/**
 * Log of an environment's latest deployment; null if it was never deployed. @throws as {@link listEnvironments}, with `environment-auth`
 * for anyone but its owner
 */
export async function deploymentLog(
  options: EnvironmentCatalogueOptions,
  name: string,
): Promise<DeploymentLog | null> {
  const what = `The log of ${name}`;
  const read = <T>(path: string, schema: z.ZodType<T>) => ask(options, path, schema, what);
  const { id: environment } = await read(recordOf(name).path, idReply);
  const github = "/v1/github";
  const deployments = `${github}/environments/${encodeURIComponent(environment)}/deployments`;
  const [newest] = await read(deployments, deploymentsReply);
  if (newest === undefined) return null;
  const { id, status = null, gitBranch = null, commitSha = null, created_at = null } = newest;
  const own = `${github}/deployments/${encodeURIComponent(id)}`;
  const [{ logs = null }, { entries }] = await Promise.all([
    read(`${own}/logs`, buildLogReply),
    read(`${own}/runtime-logs?limit=${LOG_LINES}`, runtimeLogReply),
  ]);
  return {
    id,
    status,
    branch: gitBranch,
    commit: commitSha,
    createdAt: created_at,
    build: logs === "" ? null : logs,
    lines: (entries ?? []).map(({ timestamp, severity, message }) =>
      [timestamp, severity, message].filter((part) => part != null && part !== "").join(" "),
    ),
  };
}

/** API path and variant of `Owner/Name` or `Owner/Name:variant`. */
function recordOf(name: string): { readonly path: string; readonly variant: string | undefined } {
  const [owner = "", rest = ""] = name.split("/");
  const [short = "", variant] = rest.split(":");
  const path = ["/v1/environments", encodeURIComponent(owner), encodeURIComponent(short)].join("/");
  return { path, variant };
}

function isLast(found: Page | undefined): boolean {
  return (found?.environments.length ?? 0) < PAGE_SIZE;
}

function page(options: EnvironmentCatalogueOptions, number: number): Promise<Page> {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    offset: String(number * PAGE_SIZE),
  });
  return ask(options, `/v1/environments?${query}`, pageReply, "The list of environments");
}

async function ask<T>(
  { http, apiUrl, apiKey, userAgent, signal }: EnvironmentCatalogueOptions,
  path: string,
  schema: z.ZodType<T>,
  what: string,
): Promise<T> {
  const response = await http.send({
    method: "GET",
    url: withoutEnd(apiUrl, /\//) + path,
    headers: withoutUndefined({
      accept: "application/json",
      "user-agent": userAgent,
      "x-api-key": apiKey ?? undefined,
    }),
    replyLimit: {
      bytes: REPLY_LIMITS.catalogue,
      fault: (limit) => new AppError("environment-protocol", `${what} is longer than ${limit}.`),
    },
    signal,
  });
  const text = await response.text();
  const { status } = response;
  const data = { status };
  if (status === 402) {
    throw new AppError(
      "environment-billing",
      `${what} cannot be read, because no credit is left. ${creditStep(true)}`,
      { data },
    );
  }
  if (status === 401 || status === 403) {
    const step = apiKey === null ? "Set the OpenReward key." : "Check the OpenReward key.";
    throw new AppError(
      "environment-auth",
      `${what} cannot be read: access denied (${status}). ${step}`,
      { data },
    );
  }
  if (status === 404) {
    throw new AppError(
      "environment-not-found",
      `${what} was not found (404). Check the name, which is case-sensitive, and the address.`,
      { data },
    );
  }
  if (status !== 200) {
    throw new AppError(
      "environment-unavailable",
      `${what} could not be read (status ${status}). Try again later.`,
      { data },
    );
  }
  const parsed = schema.safeParse(parseJson(text)?.value);
  if (parsed.success) return parsed.data;
  throw new AppError("environment-protocol", `${what} has an unknown form.`, {
    cause: parsed.error,
  });
}
