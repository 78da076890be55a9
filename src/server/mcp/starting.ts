/** Starts trainings and evaluations for an assistant, within the user's permissions. */

import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { parseErrorCode } from "../../core/errorCodes.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { type LauncherOptions, launchTrainer } from "../../node/launch/launcher.ts";
import { readLaunch } from "../../node/launch/launchStore.ts";
import { type StartConfig, startConfig, startDigest } from "../../node/startConfig.ts";
import {
  CONTROL_VERSION,
  type InsteadOfTraining,
  type LaunchRequest,
} from "../../shared/control.ts";
import { formatCost } from "../../shared/format.ts";
import type { RunTools } from "../tools/runTools.ts";
import { judgeConfig, requirePlainSettings } from "./judgeConfig.ts";
import { fileValueFor, keysFor, variablesFor } from "./keysFor.ts";
import type { McpWorkspace } from "./mcpWorkspace.ts";
import { ownEstimate, requireValid } from "./pastEstimate.ts";
import type { Permission } from "./permission.ts";
import type { Spending } from "./spending.ts";

export interface Starter {
  /** Real path. */
  readonly root: string;
  readonly workspace: McpWorkspace;
  readonly tools: RunTools;
  readonly permission: Permission;
  readonly spending: Spending;
  readonly redactor: Redactor;
  readonly launcher: LauncherOptions;
  readonly env: NodeJS.ProcessEnv;
}

interface Wanted {
  /** Name as listed. */
  readonly config: string;
  readonly settings?: readonly string[] | undefined;
}

/** A configuration that passed the checks. */
interface Judged {
  readonly start: StartConfig;
  readonly config: Config;
}

/** How long to wait for the run's folder before answering that the run is still starting: many clients time out after a minute. */
const STARTED_MS = 30_000;
const LOOK_MS = 200;

/** @throws AppError `not-allowed`, `config-invalid`, `estimate-without-basis`, or the reason the trainer did not start */
export async function startTraining(starter: Starter, wanted: Wanted): Promise<Json> {
  const { start, config } = await judge(starter, wanted);
  const limits = isFree(config) ? null : await limitsOf(starter, start.path, config);
  const limit = limits?.budget ?? null;
  const most = limits?.most ?? null;
  const restore = starter.spending.reserve(most ?? 0);
  const budget = limit === null ? [] : [`max_cost_usd=${limit}`, ...priceSettings(config)];
  return launch(starter, { start, settings: budget, restore, limit, most });
}

/** @throws AppError as {@link startTraining} */
export async function startEvaluation(
  starter: Starter,
  { models, ...wanted }: Wanted & { readonly models: readonly string[] },
): Promise<Json> {
  const { start, config } = await judge(starter, wanted);
  if (config.evaluation === null) {
    throw new AppError(
      "config-invalid",
      "The configuration has no key evaluation, which says which tasks to evaluate on. Add evaluation.splits to the file, such as evaluation: { splits: { NAME: [test] } }.",
      { configPath: "evaluation" },
    );
  }
  const { evaluation } = config;
  const words = await Promise.all(models.map((model) => modelWord(starter, model)));
  const limit = isFree(config)
    ? null
    : toCents(
        (await evaluationCost(starter, start.path, { ...config, evaluation })) * models.length,
      );
  const restore = starter.spending.reserve(limit ?? 0);
  const instead = { kind: "evaluate", models: words } as const;
  return launch(starter, { start, settings: [], restore, limit, most: limit, instead });
}

async function judge(starter: Starter, { config: name, settings = [] }: Wanted): Promise<Judged> {
  const { root, permission, tools, workspace, env } = starter;
  const configPath = await tools.findConfig(name);
  const start = await startConfig(workspace.files, { configPath, overrides: settings });
  if (start.folder !== null) {
    throw new AppError(
      "not-allowed",
      "resume_from continues a run, which cannot be started here. Ask the user to resume it.",
    );
  }
  const { config, overrides } = requireValid(start.text, start);
  requirePlainSettings(
    overrides.map(({ path }) => path),
    false,
  );
  const fileValue = (name: string) => fileValueFor(dirname(start.path), env, name);
  await judgeConfig(config, start.path, { root, permission, fileValue });
  return { start, config };
}

/** Runs must be given by their listed name, so that no other folder is read. */
async function modelWord({ tools }: Starter, model: string): Promise<string> {
  if (model === "base" || model.startsWith("tinker://")) return model;
  return (await tools.find(model)).folder;
}

/** The embedded engine is free, unless the configuration sets prices for it. */
function isFree({ model_name, prices }: Config): boolean {
  return isLocalModel(model_name) && prices === null;
}

/** A file could make a hosted model look cheap, so only the vendor's price list counts. */
function priceSettings({ model_name }: Config): readonly string[] {
  return isLocalModel(model_name) ? [] : ["prices=null", "fetch_prices=true"];
}

function withTrustedPrices(config: Config): Config {
  return isLocalModel(config.model_name) ? config : { ...config, prices: null, fetch_prices: true };
}

interface CostLimits {
  /** USD at which the run ends, after the step that reaches it. */
  readonly budget: number;
  /** USD including that last step. */
  readonly most: number;
}

/** The budget is the upper end of the estimate, or the run's own budget if that is lower. */
async function limitsOf({ workspace }: Starter, path: string, config: Config): Promise<CostLimits> {
  const { estimate, plan } = await ownEstimate(workspace, withTrustedPrices(config), path);
  const { costUsd } = estimate;
  if (costUsd === null) {
    throw new AppError(
      "estimate-without-basis",
      "No prices are known for this model, so the cost cannot be estimated. Ask the user to start it.",
    );
  }
  const own = config.max_cost_usd ?? Number.POSITIVE_INFINITY;
  const whole = plan.steps === null ? Number.POSITIVE_INFINITY : costUsd.high;
  const budget = Math.min(own, whole);
  if (budget === Number.POSITIVE_INFINITY) {
    throw new AppError(
      "estimate-without-basis",
      "This configuration trains without a limit. Set max_steps or max_cost_usd.",
    );
  }
  const oneStep = costUsd.high / estimate.steps;
  return { budget: toCents(budget), most: toCents(Math.min(whole, budget + oneStep)) };
}

/** Maximum cost for one model in USD: all tokens at the highest token price that an evaluation uses. */
async function evaluationCost(
  { workspace }: Starter,
  path: string,
  config: Config & { readonly evaluation: NonNullable<Config["evaluation"]> },
): Promise<number> {
  const { evaluation } = config;
  const once = { ...evaluation, at_start: true, at_end: false, every: null };
  const planned = { ...withTrustedPrices(config), max_steps: 1, evaluation: once };
  const { estimate, prices } = await ownEstimate(workspace, planned, path);
  if (prices === null) {
    throw new AppError(
      "estimate-without-basis",
      "No prices are known for this model, so the cost cannot be estimated. Ask the user to evaluate it.",
    );
  }
  const { sampled, prefill_cached, prefill_uncached } = prices.prices;
  const highest = Math.max(sampled, prefill_cached, prefill_uncached);
  return (estimate.evaluationTokens.high * highest) / 1e6;
}

function toCents(usd: number): number {
  // 1.1 * 100 is slightly more than 110.
  return Math.max(1, Math.ceil(usd * 100 - 1e-9)) / 100;
}

interface Launched {
  readonly start: StartConfig;
  /** Appended to those of `start`. */
  readonly settings: readonly string[];
  readonly restore: () => void;
  /** USD, as in {@link CostLimits}; null = free. */
  readonly limit: number | null;
  readonly most: number | null;
  /** Absent = train. */
  readonly instead?: InsteadOfTraining | undefined;
}

async function launch(starter: Starter, launched: Launched): Promise<Json> {
  const { start, restore, limit, most, instead } = launched;
  let folder: string;
  try {
    const launchRequest = await requestOf(starter, launched);
    const title = `${instead === undefined ? "train" : instead.kind} ${start.path}`;
    folder = await launchTrainer(starter.launcher, { launchRequest, title });
  } catch (error) {
    restore();
    throw error;
  }
  const place = await started(folder);
  if (place.error !== null) {
    // A trainer that ended before its run began has spent nothing.
    if (place.folder === null) restore();
    throw place.error;
  }
  return {
    run: place.folder === null ? null : starter.workspace.nameOf(place.folder),
    state: place.folder === null ? "it is still starting: listRuns has it soon" : "started",
    limitUsd: limit,
    cost: most === null ? "none: it runs on this computer" : `at most about ${formatCost(most)}`,
    leftUsd: Math.max(0, starter.spending.leftUsd),
  };
}

/** The digest makes the trainer reject a file that changed after the check. */
async function requestOf(
  { permission, env, redactor }: Starter,
  { start, settings, instead }: Launched,
): Promise<LaunchRequest> {
  const overrides = [...start.overrides, ...settings];
  const digest = startDigest({ ...start, overrides });
  const folder = dirname(start.path);
  const keys = await keysFor(folder, env, permission.secrets);
  for (const { value } of Object.values(keys)) redactor.learn(value);
  const allowedOrigins = permission.origins.flatMap(({ origin }) =>
    Object.keys(keys).map((key) => ({ origin, key })),
  );
  return {
    version: CONTROL_VERSION,
    training: { configPath: start.path, resume: null, overrides, digest, instead },
    keys,
    allowedOrigins,
    variables: await variablesFor(folder, env),
    envFile: null,
    onQuit: "keep running",
  };
}

/** Waits for the run's folder or an error; both are null if startup takes too long. */
async function started(
  launchFolder: string,
): Promise<{ readonly folder: string | null; readonly error: AppError | null }> {
  for (let waited = 0; waited < STARTED_MS; waited += LOOK_MS) {
    const launch = await readLaunch(launchFolder);
    const file = launch?.file ?? null;
    if (file?.error != null) {
      const { code, message } = file.error;
      return { folder: file.folder, error: new AppError(parseErrorCode(code), message) };
    }
    if (file?.folder != null) return { folder: file.folder, error: null };
    if (launch !== null && !launch.isAlive) {
      const message = "The trainer ended before its run began. Start it again.";
      return { folder: null, error: new AppError("bug", message) };
    }
    await delay(LOOK_MS);
  }
  return { folder: null, error: null };
}
