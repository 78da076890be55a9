/** The command `validate`: prints errors in a configuration, in a format that editors recognize. */

import { dirname } from "node:path";
import * as l10n from "@vscode/l10n";
import { locateFinding } from "../core/config/check.ts";
import { problemsOf } from "../core/config/editing/diagnostics/dataSources.ts";
import { embeddedNameProblems } from "../core/config/editing/diagnostics/embeddedNames.ts";
import { environmentNames } from "../core/config/fields/environmentServers.ts";
import type { Config } from "../core/config/fields/schema.ts";
import { referencedStage } from "../core/config/rules/stageRules.ts";
import { advice, conflict, type Finding } from "../core/config/source/finding.ts";
import {
  describeProblem,
  type PlacedProblem,
  type Problem,
  problemLine,
} from "../core/config/source/problem.ts";
import { ownPlace } from "../core/config/stages.ts";
import { taskChoices } from "../core/config/taskChoices.ts";
import { describeValidation } from "../core/outputs/validationOutput.ts";
import type { FileSystem } from "../core/ports.ts";
import { datasetSources } from "../local/environment/dataset/datasetSource.ts";
import { datasetProblems } from "../local/environment/dataset/loadDataset.ts";
import { weightsProblems } from "../node/savedWeights.ts";
import { formatKey, plural } from "../shared/format.ts";
import { missingScripts } from "../trainer/agents/agentProgram.ts";
import { type CheckedConfig, checkConfig } from "../trainer/config/configFiles.ts";
import { sourceFacts } from "../trainer/examples/sourceFacts.ts";
import { loadVariables, type Variables } from "../trainer/services/variables.ts";
import type { ValidateCommand } from "./arguments/planningArguments.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import type { Line } from "./terminal/line.ts";

/** Reads datasets, examples and the runs whose weights it refers to, but contacts no service. @throws AppError `config-not-found` */
export async function validate(
  fileSystem: FileSystem,
  command: ValidateCommand,
): Promise<{ readonly isValid: boolean; readonly lines: readonly Line[] }> {
  const { configPath, overrides, wantsJson } = command;
  const checked = await checkConfig(fileSystem, configPath, overrides);
  const { result, lines } = await withNamesAndData(fileSystem, checked, command);
  if (wantsJson) {
    return { isValid: result.ok, lines: [jsonLine(describeValidation(configPath, result))] };
  }
  const findings = lines.map((line): Line => [line]);
  if (!result.ok) return { isValid: false, lines: findings };
  const text =
    lines.length === 0
      ? l10n.t("{0} is valid", configPath)
      : plural(
          lines.length,
          "{1} is valid, with {0} warning",
          "{1} is valid, with {0} warnings",
          configPath,
        );
  return { isValid: true, lines: [...findings, [text]] };
}

/**
 * The findings. If the configuration itself is valid, also includes findings about names of embedded models and environments and about its
 * data rows, for all stages, deduplicated.
 */
async function withNamesAndData(
  fileSystem: FileSystem,
  { whole, result, lines, path }: CheckedConfig,
  { configPath, overrides }: ValidateCommand,
): Promise<Pick<CheckedConfig, "result" | "lines">> {
  if (!result.ok) return { result, lines };
  const found = new Map<string, Problem>();
  const { source: written, parts } = whole;
  const names = embeddedNameProblems(whole, { path, overrides });
  const variables = await loadVariables(dirname(path));
  for (const { name, repaired, overridden } of parts) {
    if (repaired === null) continue;
    const { config } = repaired;
    const sources = datasetSources(config, path);
    const rows = await Promise.all(
      sources.map((source) =>
        datasetProblems(fileSystem, source, playedSplits(config, source.environment)),
      ),
    );
    for (const problem of rows.flat()) {
      const placed = { ...problem, path: ownPlace(written, name, problem.path) };
      found.set(problemLine(placed), ofData(placed));
    }
    const findings = [
      ...(await sourceFindings(fileSystem, config, path)),
      ...(await startFindings(config, path)),
      ...scriptFindings(config, path),
      ...secretFindings(config, variables),
    ];
    for (const finding of findings) {
      const placed = { ...finding, path: ownPlace(written, name, finding.path) };
      const problem = locateFinding(written, placed, overridden.overrideBehind);
      found.set(describeProblem(problem, configPath), problem);
    }
  }
  if (names.length + found.size === 0) return { result, lines };
  const all = [...result.warnings, ...names, ...found.values()];
  const isSound = all.every(({ severity }) => severity === "warning");
  return {
    result: isSound ? { ...result, warnings: all } : { ok: false, problems: all },
    lines: [
      ...lines,
      ...names.map((problem) => describeProblem(problem, configPath)),
      ...found.keys(),
    ],
  };
}

/** A problem in a data row as a problem of the configuration. */
function ofData({ place, code = "TRL222", ...problem }: PlacedProblem): Problem {
  const message = `${place}: ${problem.message}`;
  return { ...problem, code, message, at: null, span: null, related: [], remedies: [] };
}

/** Splits of an environment that are played: a supervised run trains on examples and plays only evaluations. */
function playedSplits(config: Config, environment: string): readonly string[] {
  const environments = config.method === "sft" ? {} : config.environments;
  const played = taskChoices({ ...config, environments });
  const own = played.filter((choice) => choice.environment === environment);
  return [...new Set(own.map(({ split }) => split))];
}

/** Problems with a supervised run's data sources. */
async function sourceFindings(
  fileSystem: FileSystem,
  config: Config,
  configPath: string,
): Promise<readonly Finding[]> {
  if (config.method !== "sft") return [];
  const findings: Finding[] = [];
  for (const [index, source] of config.data.entries()) {
    // The run of another stage exists only after that stage.
    if (referencedStage(source.run) !== null) continue;
    const facts = await sourceFacts({ fileSystem, configPath, config, source, index });
    const place = ["data", String(index), source.path === null ? "run" : "path"];
    findings.push(...problemsOf(facts).map((message) => conflict("TRL222", place, message)));
  }
  return findings;
}

/** Problems with weights that the run refers to. */
async function startFindings(config: Config, configPath: string): Promise<readonly Finding[]> {
  const found = await weightsProblems(config, configPath);
  return found.map(({ path, error }) =>
    conflict("TRL222", path, error.message.replace(`${formatKey(path)}: `, "")),
  );
}

/**
 * Secrets that a run would not find: those of each environment, which override the global ones. Not errors, because an editor may have them
 * in its secret store.
 */
function secretFindings(config: Config, variables: Variables): readonly Finding[] {
  return environmentNames(config).flatMap((environment) => {
    const own = config.environments[environment]?.secrets ?? {};
    const wanted = Object.entries({ ...config.secrets, ...own });
    return wanted.flatMap(([key, value]): readonly Finding[] => {
      const name = key.toUpperCase();
      if (value !== null || variables(name) !== null) return [];
      const path = Object.hasOwn(own, key)
        ? ["environments", environment, "secrets", key]
        : ["secrets", key];
      const message = `the secret ${name} is set neither in the environment nor in .env, and without it a run does not start. Set it, or write "" to send nothing.`;
      return [advice("TRL224", path, message)];
    });
  });
}

/** Agent command arguments that look like scripts but do not exist. */
function scriptFindings(config: Config, configPath: string): readonly Finding[] {
  const folder = dirname(configPath);
  return Object.entries(config.environments).flatMap(([name, { agent }]) =>
    (["command", "reward_command"] as const).flatMap((key) =>
      missingScripts(agent?.[key] ?? [], folder).map((script) =>
        advice(
          "TRL231",
          ["environments", name, "agent", key],
          `${script} is not beside the configuration, and the agent starts in an empty folder.`,
        ),
      ),
    ),
  );
}
