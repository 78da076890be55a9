/** The configuration that a trainer will use, as far as keys and permissions depend on it. */

import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type ParseResult, parseConfig } from "../../core/config/parse.ts";
import type { Problem } from "../../core/config/source/problem.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { isWithin } from "../../node/confinement.ts";
import { createFileSystem } from "../../node/fileSystem.ts";
import { realFolder } from "../../node/realFolder.ts";
import { runFolder } from "../../node/runFolder.ts";
import { runParent } from "../../node/runPaths.ts";
import {
  readOverrides,
  type StartConfig,
  startConfig,
  startDigest,
} from "../../node/startConfig.ts";
import { formatKey } from "../../shared/format.ts";
import type { LaunchConfig } from "../keys/launchKeys.ts";
import type { TrainingRequest } from "./trainings.ts";

export interface JudgedConfig extends LaunchConfig {
  readonly digest: string;
}

type LaunchConfigRequest = Pick<
  TrainingRequest,
  "configPath" | "overrides" | "settingOverrides" | "resume" | "project"
>;

const SETTING = "The setting tinkerRL.overrides";
const TASK = "The task";

/**
 * What the trainer will read; null if it cannot be read, which the trainer itself reports.
 * @throws AppError `config-mismatch` if the run to resume has another configuration, `config-invalid` for invalid overrides,
 * `secret-not-allowed` for secrets in them
 */
export async function launchConfig(request: LaunchConfigRequest): Promise<JudgedConfig | null> {
  const { configPath, resume } = request;
  const overrides = [...request.settingOverrides, ...request.overrides];
  const what = resume === null ? { configPath } : { resume };
  const start = await started({ ...what, overrides });
  if (start === null) return null;
  if (resume !== null) await requireSameConfig(request, start);
  const { text, path, overrides: all } = start;
  await requireSoundOverrides(start, request);
  const project = await projectOf(start, request.project);
  const parsed = parseConfig(text, { path, overrides: all });
  requireNoSecret(parsed, all);
  return { parsed, path, project, digest: startDigest(start) };
}

/** {@link LaunchConfig.project} for a resume of the run; `asking` is the workspace folder of its configuration, or null. */
export async function projectOfRun(folder: string, asking: string | null): Promise<string> {
  const start = await started({ resume: folder, overrides: [] });
  return start === null ? await realFolder(folder) : await projectOf(start, asking);
}

const fileSystem = createFileSystem();

async function started(request: Parameters<typeof startConfig>[1]): Promise<StartConfig | null> {
  try {
    return await startConfig(fileSystem, request);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}

/** A task can name both: keys for one configuration must not be sent where another one directs them. */
async function requireSameConfig(
  { configPath, resume }: LaunchConfigRequest,
  { path }: Pick<StartConfig, "path">,
): Promise<void> {
  const [named, own] = await Promise.all([configPath, path].map(realFolder));
  if (runFolder(named ?? "") === runFolder(own ?? "")) return;
  throw new AppError(
    "config-mismatch",
    `config is ${configPath}, but the run in ${resume} has the configuration ${path}. Set config to that file, or resume to another run. Without resume, a new run starts.`,
  );
}

/** Checks only new overrides; those stored in the run are up to the trainer. */
async function requireSoundOverrides(
  { text, path, folder }: StartConfig,
  { settingOverrides, overrides }: LaunchConfigRequest,
): Promise<void> {
  if (settingOverrides.length + overrides.length === 0) return;
  const kept = folder === null ? [] : await readOverrides(fileSystem.within(folder), folder);
  const faultIn = async (all: readonly string[]): Promise<Problem | undefined> => {
    // Yields, because a maliciously slow text is parsed several times.
    await turn();
    const result = parseConfig(text, { path, overrides: all });
    if (result.ok) return undefined;
    return result.problems.find((each) => each.severity === "error" && each.override !== undefined);
  };
  if ((await faultIn(kept)) !== undefined) return;
  const ofSetting = await faultIn([...kept, ...settingOverrides]);
  const fault = ofSetting ?? (await faultIn([...kept, ...settingOverrides, ...overrides]));
  if (fault === undefined) return;
  const source = ofSetting === undefined ? TASK : SETTING;
  throw new AppError(
    "config-invalid",
    `${source} cannot be used: ${fault.code} ${fault.override}: ${fault.message}`,
  );
}

/** Settings and tasks are files that others can read. Ignores an invalid configuration, which the trainer will reject. */
function requireNoSecret(parsed: ParseResult, overrides: readonly string[]): void {
  if (!parsed.ok) return;
  // Applied overrides are unchanged except for redacted secrets.
  const found = parsed.overrides.find((applied, index) => applied.text !== overrides[index]);
  if (found === undefined) return;
  const key = formatKey(found.path);
  throw new AppError(
    "secret-not-allowed",
    `${key} is set in a file that others can read. Store it with *Set API Key* or in .env, and set ${key} to null.`,
    { configPath: key },
  );
}

/**
 * The folder to which the user's answers about keys apply: the workspace folder `asking` if it contains the configuration, otherwise the
 * configuration's folder, provided that the run is where that configuration stores its runs. A run folder or task may come from a stranger
 * and refer to the configuration of someone else's project; then the answers are those for the run's own folder.
 */
async function projectOf(start: StartConfig, asking: string | null): Promise<string> {
  const home = await realFolder(dirname(start.path));
  if (start.folder !== null) {
    const folder = await realFolder(start.folder);
    if (dirname(folder) !== (await realFolder(ownParent(start)))) return folder;
  }
  const workspace = asking === null ? null : await realFolder(asking);
  return workspace === null || isWithin(home, workspace) ? home : workspace;
}

/** Based on the file alone: overrides, and a copy of a deleted file, come from the run folder. */
function ownParent({ text, path, isOwnCopy }: StartConfig): string {
  const parsed = isOwnCopy ? null : parseConfig(text, { path });
  return runParent({ log_path: parsed?.ok === true ? parsed.config.log_path : null }, path);
}
