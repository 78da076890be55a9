/** Resolves a checkpoint, a run folder, or a model name to weights and their configuration. */

import { join, resolve } from "node:path";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import {
  type CheckpointEntry,
  readCheckpoints,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { requireRunFile } from "../../core/runFolder/runFile.ts";
import { readStates } from "../../core/runFolder/state.ts";
import { formatTinkerPath, parseTinkerPath } from "../../core/tinker/paths.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import { systemClock } from "../../node/clock.ts";
import { checkpointMissing, checkpointsAt, namedRun } from "../../node/namedRun.ts";
import { formatQuantity } from "../../shared/format.ts";
import type { EvaluationPlan } from "../../shared/runFile.ts";
import { CheckpointPlaces } from "../checkpoints/places.ts";
import { type LoadedConfig, loadConfig, loadConfigText } from "../config/configFiles.ts";
import { namedSampler, REFUSALS } from "../models/goneState.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { openEvaluated } from "./evaluatedModel.ts";
import type { FoundTurn } from "./findStoredTurn.ts";

export interface ModelRequest {
  /** `tinker://…`, a run folder, `FOLDER@STEP`, or a model name. */
  readonly target: string;
  /** Null = the run's configuration, or the defaults. */
  readonly configPath: string | null;
  /** A run whose configuration also applies to its checkpoints and its base model; null = none. */
  readonly runFolder: string | null;
  /** `key=value` each. */
  readonly overrides: readonly string[];
}

export interface ChosenRun {
  readonly folder: string;
  readonly files: FolderFiles;
}

export interface ChosenModel {
  /** Display name. */
  readonly label: string;
  /** For a checkpoint without a configuration, `model_name` is its path until {@link open} has asked the service. */
  readonly loaded: LoadedConfig;
  /** Null unless the target is a run, or a checkpoint of `runFolder`. */
  readonly run: ChosenRun | null;
  /** The date shown in prompts, YYYY-MM-DD; null = today. */
  readonly promptDate: string | null;
  /**
   * `continued` is the rollout that the chat continues. @throws AppError `checkpoint-not-sampler`, `checkpoint-model-unknown`,
   * `model-not-offered`, `no-checkpoint`, `tinker-*`
   */
  open(service: ServiceClient, continued?: FoundTurn | null): Promise<OpenedModel>;
}

export interface OpenedModel {
  readonly sampler: SamplingClient;
  /** Display name. */
  readonly label: string;
  readonly loaded: LoadedConfig;
}

/** @throws AppError `config-*`, `run-not-found`, `folder-unsafe`, `no-checkpoint`, `bad-arguments` */
export async function chooseModel(
  fileSystem: FileSystem,
  request: ModelRequest,
): Promise<ChosenModel> {
  const { target, runFolder } = request;
  const isPath = target.startsWith("tinker://");
  const named = await namedRun(fileSystem, target);
  if (named !== null) {
    const run = await readRun(fileSystem, request, named.folder);
    const { evaluation } = run;
    if (evaluation === undefined) return newestOf(run, named.step);
    if (named.step !== null) throw withoutSteps(run, named.step);
    return evaluatedOf(run, evaluation);
  }
  if (!isPath && !isModelName(target)) throw notFound(target);
  const beside = runFolder === null ? null : await readRun(fileSystem, request, runFolder);
  if (!isPath) return baseModel(fileSystem, request, beside);
  return checkpointOf(beside, target) ?? checkpoint(fileSystem, request);
}

/** True if the text can be a model name; a relative run folder may look the same. */
export function isModelName(target: string): boolean {
  return !/^[./~]|^[A-Za-z]:[\\/]|^tinker:\/\//.test(target) && target.includes("/");
}

async function baseModel(
  fileSystem: FileSystem,
  request: ModelRequest,
  beside: ReadRun | null,
): Promise<ChosenModel> {
  const { target } = request;
  const ofRun = beside?.loaded.config.model_name === target ? beside : null;
  const loaded = ofRun?.loaded ?? (await configFor(fileSystem, request, target));
  const open = async (service: ServiceClient): Promise<OpenedModel> => {
    const sampler = await service.samplerForBase(target).catch((error: unknown) => {
      if (!isAppError(error, "tinker-not-found")) throw error;
      throw notOffered(target, error);
    });
    return { sampler, label: target, loaded };
  };
  return { label: target, loaded, run: null, promptDate: ofRun?.promptDate ?? null, open };
}

function notOffered(model: string, cause: AppError): AppError {
  const next = isLocalModel(model)
    ? "On this computer there is local/tiny-tool."
    : "tinker-rl models lists those of Tinker.";
  return new AppError(
    "model-not-offered",
    `The service does not have the model ${model}. ${next}`,
    {
      cause,
    },
  );
}

function notFound(target: string): AppError {
  return new AppError(
    "run-not-found",
    `${target} is not a run folder: run.json is missing. Specify a run folder, a checkpoint such as tinker://RUN/sampler_weights/NAME, or a model such as local/tiny-tool.`,
  );
}

async function checkpoint(fileSystem: FileSystem, request: ModelRequest): Promise<ChosenModel> {
  const { target, configPath } = request;
  const parts = parseTinkerPath(target);
  const model = await localModelOf(fileSystem, target);
  const known = configPath !== null || model !== null;
  const loaded = await configFor(fileSystem, request, model ?? UNKNOWN);
  const { config } = loaded;
  const open = async (service: ServiceClient): Promise<OpenedModel> => {
    if (parts.kind !== "sampler_weights") throw await notSampler(service, target);
    const sampler = await namedSampler(service, target);
    if (known) return { sampler, label: target, loaded };
    const { baseModel } = sampler;
    if (baseModel !== null) {
      return { sampler, label: target, loaded: await configFor(fileSystem, request, baseModel) };
    }
    throw new AppError(
      "checkpoint-model-unknown",
      `The service does not report the model of ${target}. Specify the configuration that it was trained with: --config_path FILE.`,
    );
  };
  const provisional = known ? loaded : { ...loaded, config: { ...config, model_name: target } };
  return { label: target, loaded: provisional, run: null, promptDate: null, open };
}

/** Base model of a local checkpoint; null if this computer does not have it. */
async function localModelOf(fileSystem: FileSystem, path: string): Promise<string | null> {
  const request = { folder: process.cwd(), allowedOrigins: [], isLocalOnly: true };
  const places = new CheckpointPlaces(fileSystem, request, new CleanupStack());
  const place = await places.placeOf(path);
  return place?.kind === "this computer" ? place.record.base_model : null;
}

/** Placeholder for a hosted model whose name is not known yet. */
const UNKNOWN = "unknown/unknown";

/** The error for a checkpoint that cannot be sampled from; suggests the samplers saved with it. */
async function notSampler(service: ServiceClient, path: string): Promise<AppError> {
  const { run, kind, name } = parseTinkerPath(path);
  const listed = await service.listCheckpoints(run).catch(() => []);
  const samplers = listed.filter((each) => parseTinkerPath(each.path).kind === "sampler_weights");
  const own = formatTinkerPath({ run, kind: "sampler_weights", name });
  const others = samplers.map((each) => each.path);
  const hint = others.includes(own)
    ? `The sampler that was saved with it is ${own}.`
    : others.length === 0
      ? "The service has no sampler of its run; save one, or use the run folder's newest checkpoint."
      : `No sampler was saved under this name. Samplers of its run: ${others.join(", ")}.`;
  const what = kind === "weights" ? "is a training state" : "are exported files";
  return new AppError(
    "checkpoint-not-sampler",
    `${path} ${what}, which cannot be sampled from. ${hint}`,
    { data: { samplers: others } },
  );
}

interface ReadRun extends ChosenRun {
  readonly name: string;
  readonly loaded: LoadedConfig;
  readonly entries: readonly CheckpointEntry[];
  /** Date of the newest checkpoint; null = today. */
  readonly promptDate: string | null;
  /** Plan of a standalone evaluation; undefined for a run. */
  readonly evaluation: EvaluationPlan | undefined;
}

async function readRun(
  fileSystem: FileSystem,
  { configPath, overrides }: ModelRequest,
  target: string,
): Promise<ReadRun> {
  const folder = resolve(target);
  const files = fileSystem.within(folder);
  const { name, configPath: ownPath, evaluation } = await requireRunFile(files, folder);
  const path = resolve(folder, ownPath);
  const loaded =
    configPath === null
      ? await configOfRun({ folder, files }, path, overrides)
      : await loadConfig(fileSystem, configPath, overrides);
  const entries = await readCheckpoints(files, folder);
  const dated = usableCheckpoints(entries, systemClock.now()).filter(hasSampler).at(-1);
  const promptDate = dated?.state?.prompt_date ?? (await dateOfState(files, folder));
  return { folder, files, name, loaded, entries, promptDate, evaluation };
}

/** The newest checkpoint, or the one after `step` steps. */
function newestOf(run: ReadRun, step: number | null): ChosenModel {
  const { folder, files, name, loaded, entries } = run;
  const all = usableCheckpoints(entries, systemClock.now()).filter(hasSampler);
  const usable = checkpointsAt(all, step);
  const promptDate = usable.at(-1)?.state?.prompt_date ?? run.promptDate;
  if (usable.length === 0) {
    if (step !== null) throw checkpointMissing({ folder, step }, all);
    throw new AppError(
      "no-checkpoint",
      `The run ${name} has no checkpoint to sample from: none is saved yet, or all have expired. \`tinker-rl control ${folder} save\` saves one during a run.`,
    );
  }
  const open = async (service: ServiceClient): Promise<OpenedModel> => {
    const { sampler, entry } = await newestSampler(service, usable);
    return { sampler, label: labelOf(name, entry), loaded };
  };
  return { label: name, loaded, run: { folder, files }, promptDate, open };
}

function withoutSteps({ folder, name }: ReadRun, step: number): AppError {
  return new AppError(
    "no-checkpoint",
    `${name} is an evaluation, which has no weights after ${formatQuantity(step, "step")}. Specify the folder without @${step} to continue from one of its rollouts, or a checkpoint that it measured.`,
    { data: { folder } },
  );
}

function evaluatedOf(
  { folder, files, name, loaded, promptDate }: ReadRun,
  { models }: EvaluationPlan,
): ChosenModel {
  const evaluation = { name, models, baseName: loaded.config.model_name };
  const open: ChosenModel["open"] = async (service, continued = null) => {
    return { ...(await openEvaluated(service, evaluation, continued)), loaded };
  };
  return { label: name, loaded, run: { folder, files }, promptDate, open };
}

/** Null if the path does not belong to the run. */
function checkpointOf(run: ReadRun | null, path: string): ChosenModel | null {
  const entry = run?.entries.findLast(({ sampler_path }) => sampler_path === path);
  if (run === null || entry === undefined) return null;
  const { folder, files, name, loaded } = run;
  const label = labelOf(name, entry);
  const promptDate = entry.state?.prompt_date ?? run.promptDate;
  const open = async (service: ServiceClient): Promise<OpenedModel> => {
    return { sampler: await namedSampler(service, path), label, loaded };
  };
  return { label, loaded, run: { folder, files }, promptDate, open };
}

function labelOf(run: string, { name }: CheckpointEntry): string {
  return `${run} · ${name}`;
}

/**
 * The configuration at the start of the last attempt: the file at `path` may have changed since. The run has already shown its warnings.
 */
async function configOfRun(
  { folder, files }: ChosenRun,
  path: string,
  overrides: readonly string[],
): Promise<LoadedConfig> {
  const { resolvedConfig } = runPaths(folder);
  const text = await files.readText(resolvedConfig, MAX_BYTES.resolvedConfig);
  return { ...loadConfigText(text, path, overrides), warnings: [] };
}

async function dateOfState(files: FolderFiles, folder: string): Promise<string | null> {
  try {
    return (await readStates(files, folder)).states[0]?.prompt_date ?? null;
  } catch (error) {
    if (isAppError(error, "state-invalid", "state-format")) return null;
    throw error;
  }
}

type SamplerEntry = CheckpointEntry & { readonly sampler_path: string };

function hasSampler(entry: CheckpointEntry): entry is SamplerEntry {
  return entry.sampler_path !== null;
}

/** The newest sampler that the service still has: checkpoints may have been deleted elsewhere. */
async function newestSampler(
  service: ServiceClient,
  entries: readonly SamplerEntry[],
): Promise<{ readonly sampler: SamplingClient; readonly entry: SamplerEntry }> {
  let refusal: unknown = null;
  for (const entry of entries.toReversed()) {
    try {
      return { sampler: await service.samplerForPath(entry.sampler_path), entry };
    } catch (error) {
      if (!isAppError(error, ...REFUSALS)) throw error;
      refusal ??= error;
    }
  }
  throw new AppError(
    "no-checkpoint",
    `The service no longer has any of the run's checkpoints: ${entries.map((entry) => entry.sampler_path).join(", ")}.`,
    { cause: refusal },
  );
}

/** The user's configuration, or defaults for the model. */
async function configFor(
  fileSystem: FileSystem,
  { configPath, overrides }: ModelRequest,
  model: string,
): Promise<LoadedConfig> {
  if (configPath !== null) return loadConfig(fileSystem, configPath, overrides);
  const text = JSON.stringify({ model_name: model, ...UNUSED });
  return loadConfigText(text, join(process.cwd(), "config.yaml"), overrides);
}

/** Keys that a configuration requires but a chat does not use. */
const UNUSED = {
  batch_size: 1,
  environments: { "local/calculator": { splits: { train: {} }, num_rollouts: 2 } },
};
