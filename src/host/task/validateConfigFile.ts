/** The task that validates a configuration: prints the same as `validate` in the terminal. */

import * as l10n from "@vscode/l10n";
import { parseConfig } from "../../core/config/parse.ts";
import { describeProblem } from "../../core/config/source/problem.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { readPlainText } from "../../node/plainText.ts";
import { EXIT } from "../../shared/exitCodes.ts";

/** Prints one line per finding; resolves with the exit code. */
export async function validateConfigFile(
  configPath: string,
  overrides: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const text = await readPlainText(configPath, MAX_BYTES.config);
  if (text === null) {
    const missing = l10n.t(
      "the configuration file does not exist or is too large. Check the path in the task.",
    );
    print(`${configPath}: ${l10n.t("error:")} ${missing}\n`);
    return EXIT.invalid;
  }
  const result = parseConfig(text, { path: configPath, overrides });
  const findings = result.ok ? result.warnings : result.problems;
  for (const problem of findings) print(`${describeProblem(problem, configPath)}\n`);
  if (result.ok) print(`${l10n.t("{0} is valid", configPath)}\n`);
  return result.ok ? EXIT.done : EXIT.invalid;
}
