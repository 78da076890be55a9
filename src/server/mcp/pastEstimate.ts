/** Estimates a configuration from past runs only, without contacting services or starting programs. */

import { basename, dirname } from "node:path";
import type { Config } from "../../core/config/fields/schema.ts";
import { type ParseResult, parseConfig } from "../../core/config/parse.ts";
import { describeProblem } from "../../core/config/source/problem.ts";
import { AppError } from "../../core/errors.ts";
import type { EstimateReport } from "../../core/estimate/report.ts";
import { describeEstimate } from "../../core/outputs/estimateOutput.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { runParent } from "../../node/runPaths.ts";
import { RunRecord } from "../../node/runRecord.ts";
import { estimateFromFolder, pastRunOf } from "../../trainer/estimate/estimate.ts";
import { stagesFromFolder } from "../../trainer/stages/estimateStages.ts";
import type { McpWorkspace } from "./mcpWorkspace.ts";

/** `folder` is a past run; null = the newest match. @throws AppError `config-invalid`, `estimate-without-basis` */
export async function pastEstimate(
  workspace: McpWorkspace,
  { path, folder }: { readonly path: string; readonly folder: string | null },
): Promise<ReturnType<typeof describeEstimate>> {
  const { text } = await workspace.readConfig(path);
  const { config } = requireValid(text, { path });
  const stages = Object.keys(config.stages ?? {});
  const project: Project = (basis) =>
    stages.length > 0 ? stagesFromFolder({ text, path }, stages, basis) : projectRun(config)(basis);
  return describeEstimate(await reportFor(workspace, { config, path, named: folder }, project));
}

type ParsedConfig = Extract<ParseResult, { readonly ok: true }>;

/** @throws AppError `config-invalid` listing the first errors */
export function requireValid(
  text: string,
  options: { readonly path: string; readonly overrides?: readonly string[] },
): ParsedConfig {
  const parsed = parseConfig(text, options);
  if (parsed.ok) return parsed;
  const faults = parsed.problems
    .filter(({ severity }) => severity === "error")
    .slice(0, MAX_FAULTS);
  throw new AppError(
    "config-invalid",
    faults.map((each) => describeProblem(each, basename(options.path))).join("\n"),
  );
}

const MAX_FAULTS = 10;

/**
 * Estimates from a past run that the user's own trainer started on this computer; a run that came with a repository could make anything
 * look cheap.
 * @throws AppError `estimate-without-basis`
 */
export async function ownEstimate(
  workspace: McpWorkspace,
  config: Config,
  path: string,
): Promise<EstimateReport> {
  const planned = { config, path, named: null };
  const report = await reportFor(workspace, planned, projectRun(config));
  const { run } = report.restsOn;
  const isOwn = run !== null && (await RunRecord.open(run)).destinations.length > 0;
  if (isOwn) return report;
  throw new AppError(
    "estimate-without-basis",
    "The most similar past run was not started on this computer, so no cost is estimated from it. The user can train a few steps first.",
  );
}

/** Null if the past run's folder lacks the needed data. */
type Project = (basis: {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
}) => Promise<EstimateReport | null>;

function projectRun(config: Config): Project {
  return async (basis) => (config.method === "sft" ? null : estimateFromFolder(config, basis));
}

interface Planned {
  readonly config: Config;
  readonly path: string;
  readonly named: string | null;
}

/** @throws AppError `estimate-without-basis` */
async function reportFor(
  workspace: McpWorkspace,
  { config, path, named }: Planned,
  project: Project,
): Promise<EstimateReport> {
  const parent = runParent(config, path);
  const runs = await workspace.runs();
  // Other run folders are outside the workspace or empty.
  const isHere = runs.some((run) => dirname(run.folder) === parent);
  const past = isHere ? await pastRunOf(workspace.files, { config, path }) : null;
  const folder = named ?? past;
  const report =
    folder === null ? null : await project({ fileSystem: workspace.filesOf(folder), folder });
  if (report !== null) return report;
  const reason =
    folder === null
      ? "No past run of this workspace has the same model, environments and splits"
      : `The past run ${workspace.nameOf(folder)} does not say how many tasks or examples this configuration has, evaluations included`;
  throw new AppError(
    "estimate-without-basis",
    `${reason}, so this cannot be estimated here. The user can run: tinker-rl estimate FILE --groups 2`,
  );
}
