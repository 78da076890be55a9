/** The command `validate`: what is wrong with a configuration, as lines that editors understand. */

import * as l10n from "@vscode/l10n";
import { type Problem, problemLine } from "../core/config/source/problem.ts";
import { describeValidation } from "../core/outputs/validationOutput.ts";
import type { FileSystem } from "../core/ports.ts";
import { datasetSources } from "../local/environment/dataset/datasetSource.ts";
import { datasetProblems } from "../local/environment/dataset/loadDataset.ts";
import { plural } from "../shared/format.ts";
import { type CheckedConfig, checkConfig } from "../trainer/config/configFiles.ts";
import type { ValidateCommand } from "./arguments/arguments.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import type { Line } from "./terminal/line.ts";

/** Reads the files of datasets, too. @throws AppError `config-not-found` */
export async function validate(
  fileSystem: FileSystem,
  { configPath, overrides, wantsJson }: ValidateCommand,
): Promise<{ readonly isValid: boolean; readonly lines: readonly Line[] }> {
  const checked = await checkConfig(fileSystem, configPath, overrides);
  const { result, lines } = await withDatasets(fileSystem, checked);
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

/** The findings, and those about the rows of its datasets when the configuration itself is sound. */
async function withDatasets(
  fileSystem: FileSystem,
  { result, lines, path }: CheckedConfig,
): Promise<Pick<CheckedConfig, "result" | "lines">> {
  if (!result.ok) return { result, lines };
  const sources = datasetSources(result.config, path);
  const found = await Promise.all(sources.map((source) => datasetProblems(fileSystem, source)));
  const placed = found.flat();
  if (placed.length === 0) return { result, lines };
  const problems = placed.map(({ place, ...problem }): Problem => {
    const message = `${place}: ${problem.message}`;
    return { ...problem, code: "TRL222", message, at: null, span: null, related: [], remedies: [] };
  });
  return {
    result: { ok: false, problems: [...result.warnings, ...problems] },
    lines: [...lines, ...placed.map(problemLine)],
  };
}
