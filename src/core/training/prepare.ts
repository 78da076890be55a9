/** Checks everything possible before a run costs anything: model, chat format, environments, tasks, plan. */

import type { Agent } from "../agents/agent.ts";
import type { Chat } from "../chat/chat.ts";
import { createChat, today } from "../chat/setup/createRenderer.ts";
import type { ModelTokenizer } from "../chat/tokenizer.ts";
import type { Config } from "../config/fields/schema.ts";
import { environmentConfig, taskChoices } from "../config/taskChoices.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { ExampleSet } from "../examples/exampleSet.ts";
import { findLineUpModel, nearestModels, retirementText } from "../models/lineUp.ts";
import { splitFault } from "../openreward/faults.ts";
import type { RemoteEnvironment } from "../openreward/types.ts";
import type { Clock, Random, Sha256 } from "../ports.ts";
import { EnvironmentGate } from "../rollout/environmentGate.ts";
import { rolloutSettings } from "../rollout/settings.ts";
import type { ServiceClient } from "../tinker/serviceClient.ts";
import { timeoutError, withLimit } from "../util/abort.ts";
import type { PreparedEnvironment } from "./run/context.ts";
import { checkSchedule } from "./run/learningRate.ts";
import {
  createTaskSequence,
  repeatedTaskWarnings,
  type TaskSequence,
  type TaskSource,
  taskSource,
  totalSteps,
} from "./tasks/dataset.ts";

/** How long to wait for a full environment before a run starts. */
const FULL_AT_START_LIMIT_MS = 30 * 60_000;

export interface PrepareOptions {
  readonly config: Config;
  readonly service: ServiceClient;
  readonly sha256: Sha256;
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: (name: string) => RemoteEnvironment;
  /** Whether an existing run continues, whose model cannot change. */
  readonly isContinued?: boolean;
  /** The date that a continued run shows in prompts, YYYY-MM-DD; today by default. */
  readonly promptDate?: string | undefined;
  /** Loads the tokenizer and chat template of the configured model. */
  readonly loadModel: () => Promise<ModelTokenizer>;
  /** Reads and renders the examples of a supervised run; absent where there are none. */
  readonly loadExamples?: (chat: Chat) => Promise<ExampleSet>;
  readonly secretsOf: (name: string) => Promise<Readonly<Record<string, string>>>;
  /** The agent that plays an environment instead of the built-in loop; null for none. */
  readonly agentOf?: (name: string) => Agent | null;
  /** Called with a description as each part starts. */
  readonly onPart: (what: string) => void;
  /** Called with a sentence about each setting that does not work as written. */
  readonly onWarning: (message: string) => void;
}

export interface Preparation {
  readonly chat: Chat;
  readonly environments: ReadonlyMap<string, PreparedEnvironment>;
  readonly sequence: TaskSequence;
  /** Only for supervised runs. */
  readonly examples?: ExampleSet | undefined;
  /** Null when endless. */
  readonly totalSteps: number | null;
}

/** @throws AppError that names the configuration key at fault */
export async function prepareRun(options: PrepareOptions): Promise<Preparation> {
  const { config } = options;
  // Loading the tokenizer needs no service, so it runs in parallel. A model that is not offered is reported before tokenizer errors.
  const preparingChat = prepareChat(options);
  preparingChat.catch(() => undefined);
  options.onPart(`asking the service for ${config.model_name}`);
  const maxContext = await requireModel(options);
  const isSupervised = config.method === "sft";
  options.onPart(
    isSupervised
      ? "loading the tokenizer and reading the examples"
      : "loading the tokenizer and asking the environments for their tasks",
  );
  const environments = await prepareEnvironments(options, maxContext);
  const [chat, sources] = await Promise.all([preparingChat, taskSources(options, environments)]);
  const data = isSupervised ? await exampleData(options, chat) : taskData(options, sources);
  const steps = totalSteps(config, data.sequence.epochLength);
  checkSchedule(config, steps);
  await Promise.all([...environments.values()].map(({ remote }) => remote.release()));
  return { ...data, chat, environments, totalSteps: steps };
}

function taskData(options: PrepareOptions, sources: readonly TaskSource[]) {
  const { config } = options;
  const sequence = createTaskSequence(sources, config.seed, config.mix, options.sha256);
  // An evaluation of environments that are not trained on has no training tasks.
  const warnings = sources.length === 0 ? [] : repeatedTaskWarnings(sequence, config);
  for (const warning of warnings) options.onWarning(warning);
  return { sequence };
}

/** Treats the examples as one split of tasks, so that order, epochs and batches work the same way. */
async function exampleData(options: PrepareOptions, chat: Chat) {
  const { config, loadExamples, sha256 } = options;
  if (loadExamples === undefined) throw new AppError("invariant", "Nothing reads the examples.");
  const examples = await loadExamples(chat);
  const source: TaskSource = {
    environment: "data",
    split: "train",
    count: examples.trained.length,
    shuffle: config.shuffle,
    numSamples: null,
    weight: 1,
  };
  const order = createTaskSequence([source], config.seed, "proportional", sha256);
  const fingerprint = sha256(`${order.fingerprint}|${examples.digest}`);
  return { examples, sequence: { ...order, fingerprint } };
}

/** The model's context in tokens, or null when the service does not report it. */
async function requireModel({
  config,
  service,
  isContinued = false,
  onWarning,
}: PrepareOptions): Promise<number | null> {
  const offers = await service.capabilities();
  if (offers === null) {
    onWarning(
      `The server at ${service.address} does not list its models. Whether it trains model_name: ${config.model_name} is known only when the run begins, and max_total_tokens is not checked against the model's context.`,
    );
    return null;
  }
  const models = offers.filter((model) => model.isTrainable);
  const found = models.find((model) => model.name === config.model_name);
  if (found !== undefined) {
    if (found.maxContextLength === null) {
      onWarning(
        `The server at ${service.address} does not report the context of ${found.name}, so max_total_tokens: ${config.max_total_tokens} is not checked against it.`,
      );
    }
    return found.maxContextLength;
  }
  const names = models.map((model) => model.name);
  throw new AppError(
    "model-not-offered",
    isContinued
      ? `model_name: the service no longer trains ${config.model_name}, and a run cannot change its model. Start a new run with a model that it offers: ${offerText(names)}.`
      : `model_name: the service does not train ${config.model_name}. ${suggestModel(config.model_name, names)}`,
    { configPath: "model_name", data: { offered: names } },
  );
}

/** Sentences that suggest what to train instead of a model that the service does not offer. */
function suggestModel(name: string, offered: readonly string[]): string {
  const retired = findLineUpModel(name)?.retired ?? null;
  if (retired !== null && offered.includes(retired.instead)) return retirementText(name, retired);
  const [near] = nearestModels(name, offered);
  if (near !== undefined) return `Did you mean ${near}?`;
  return `It offers ${offerText(offered)}.`;
}

function offerText(offered: readonly string[]): string {
  return offered.slice(0, 8).join(", ");
}

async function prepareChat(options: PrepareOptions): Promise<Chat> {
  const { config, loadModel, onWarning, clock, promptDate = today(clock) } = options;
  const { chat, warnings } = createChat({ model: await loadModel(), config, date: promptDate });
  for (const warning of warnings) onWarning(warning);
  return chat;
}

async function prepareEnvironments(
  options: PrepareOptions,
  maxContext: number | null,
): Promise<ReadonlyMap<string, PreparedEnvironment>> {
  const { config } = options;
  const evaluated = Object.keys(config.evaluation?.splits ?? {});
  const names = new Set([...Object.keys(config.environments), ...evaluated]);
  const prepared = new Map<string, PreparedEnvironment>();
  for (const name of names) {
    const own = environmentConfig(config, name);
    const secrets = await options.secretsOf(name);
    const remote = options.environment(name);
    const given = { maxContext, secrets };
    const maxSessions = own.max_concurrency ?? Number.POSITIVE_INFINITY;
    prepared.set(name, {
      remote,
      given,
      agent: options.agentOf?.(name) ?? null,
      settings: rolloutSettings(config, own, given),
      gate: new EnvironmentGate({ ...options, remote, maxSessions }),
    });
  }
  return prepared;
}

/**
 * The tasks to train on. Asks all environments at once, including those of evaluations, which may come last, and reports all missing ones
 * together.
 */
async function taskSources(
  options: PrepareOptions,
  environments: ReadonlyMap<string, PreparedEnvironment>,
): Promise<readonly TaskSource[]> {
  const { config } = options;
  const trained = config.method === "sft" ? [] : taskChoices({ ...config, evaluation: null });
  const evaluated = taskChoices({ ...config, environments: {} });
  const answers = await Promise.allSettled(
    [...trained, ...evaluated].map(async ({ environment, split }, index): Promise<TaskSource> => {
      const prepared = environments.get(environment);
      const key =
        index < trained.length ? `environments.${environment}.splits` : "evaluation.splits";
      const count = prepared === undefined ? 0 : await countTasks(options, prepared, split, key);
      return taskSource(config, { environment, split, count });
    }),
  );
  const faults = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  if (faults.length > 0) throw missingEnvironments(faults);
  const sources = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? [answer.value] : [],
  );
  return sources.slice(0, trained.length);
}

/** Waits for an environment that is too full to answer queries. @throws its refusal after 30 minutes */
async function countTasks(
  { clock, onWarning }: PrepareOptions,
  { gate, remote }: PreparedEnvironment,
  split: string,
  configPath: string,
): Promise<number> {
  const limitMs = FULL_AT_START_LIMIT_MS;
  const onFull = ({ message }: AppError): void =>
    onWarning(
      `${remote.name} is full, so the run waits up to ${limitMs / 60_000} min before it begins. The environment answered: ${message}`,
    );
  const onLimit = (): AppError => gate.outage?.fault ?? timeoutError("The query", limitMs);
  return await withLimit({ clock, limitMs, onLimit }, ({ signal }) =>
    gate.query(() => remote.numTasks(split, { signal }), signal, onFull),
  ).catch(async (error: unknown) => {
    throw await splitFault(error, { remote, split }, configPath);
  });
}

/** Unknown names come first, because the user must correct them. */
function missingEnvironments(faults: readonly unknown[]): unknown {
  if (faults.length === 1) return faults[0];
  const unknownName = faults.find((fault) =>
    isAppError(fault, "environment-not-found", "no-such-split"),
  );
  const cause = unknownName ?? faults[0];
  const code = isAppError(cause) ? cause.code : "environment-unavailable";
  const message = [...new Set(faults.map(errorMessage))].join("\n");
  const place =
    unknownName === undefined ? {} : { configPath: unknownName.configPath ?? "environments" };
  return new AppError(code, message, { ...place, cause });
}
