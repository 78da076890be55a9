/** The command `validate`: what is wrong with a configuration, as lines that editors understand. */

import * as l10n from "@vscode/l10n";
import { describeValidation } from "../core/outputs/validationOutput.ts";
import type { FileSystem } from "../core/ports.ts";
import { plural } from "../shared/format.ts";
import { checkConfig } from "../trainer/config/configFiles.ts";
import type { ValidateCommand } from "./arguments/arguments.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import type { Line } from "./terminal/line.ts";

/** @throws AppError `config-not-found` */
export async function validate(
  fileSystem: FileSystem,
  { configPath, overrides, wantsJson }: ValidateCommand,
): Promise<{ readonly isValid: boolean; readonly lines: readonly Line[] }> {
  const { result, lines } = await checkConfig(fileSystem, configPath, overrides);
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
