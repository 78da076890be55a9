/** The command `env new`: creates a Python environment from a template and adds it to the configuration. */

import { dirname, join, relative, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import type { NewEnvironment, PythonProject } from "../../api/environments.ts";
import { flowText } from "../../core/config/editing/text/valueText.ts";
import { AppError } from "../../core/errors.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { ENVIRONMENT_TEMPLATES } from "../../core/scaffold/environmentTemplates.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import { shellWords } from "../../shared/shellWords.ts";
import {
  addToConfig,
  type EntryOutcome,
  writeEnvironment,
} from "../../trainer/scaffold/newEnvironment.ts";
import {
  makeVirtualEnvironment,
  stepsWithVenv,
  virtualEnvironmentSteps,
} from "../../trainer/scaffold/virtualEnvironment.ts";
import type { EnvNewCommand } from "../arguments/envArguments.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { commandLine, shortPath } from "../terminal/invocation.ts";
import { BLANK, type Line, labelled, quietLine } from "../terminal/line.ts";
import { askYesNo, isPerson } from "../terminal/question.ts";

const isWindows = process.platform === "win32";

/**
 * Creates the files next to the configuration, then the virtual environment. If the latter fails, the files remain.
 * @throws AppError like {@link writeEnvironment} and {@link makeVirtualEnvironment}
 */
export async function newEnvironment(
  options: ProgramOptions,
  { name, template, configPath, wantsVenv }: EnvNewCommand,
): Promise<void> {
  const { fileSystem, out, invocation, templatesFolder } = options;
  const config = resolve(invocation.cwd, configPath ?? DEFAULT_CONFIG);
  await requireWritable(options, config);
  const folder = dirname(config);
  const request = { name, template, folder, templatesFolder };
  const written = await writeEnvironment(fileSystem, request);
  const change = await addToConfig(fileSystem, config, written);
  const shown = shortPath(config, invocation.cwd);
  const inFolder = (path: string): string => shortPath(join(folder, path), invocation.cwd);
  out.print([
    labelled(l10n.t("wrote"), `${inFolder(written.folder)}: ${written.files.join(", ")}`),
    ...configLines(change, shown, written),
  ]);
  if (wantsVenv ?? (await asksForVenv(options))) {
    await makeVirtualEnvironment(await virtualEnvironmentSteps(written), folder, (words) =>
      out.print([quietLine(`$ ${shellWords(words, isWindows)}`)]),
    );
  } else {
    out.print(laterLines(written, relative(invocation.cwd, folder)));
  }
  const python = inFolder(written.python);
  out.print([
    BLANK,
    ...choiceLines(template, change, shown),
    [l10n.t("Next, test it, check it, and train:")],
    BLANK,
    [`  ${shellWords([python, "-m", "pytest", inFolder(written.folder)], isWindows)}`],
    [`  ${commandLine(invocation, "env", "check", name, "-c", shown)}`],
    [`  ${commandLine(invocation, "train", "-c", shown)}`],
  ]);
}

/** Checked before anything is written. @throws AppError `config-not-found`, `file-unreadable`, `file-too-large` */
async function requireWritable(
  { fileSystem, invocation }: ProgramOptions,
  config: string,
): Promise<void> {
  if ((await fileSystem.size(config)) !== null) {
    await fileSystem.readText(config, MAX_BYTES.config);
  } else if (/\.json$/i.test(config)) {
    throw new AppError(
      "config-not-found",
      l10n.t("{0} does not exist.", shortPath(config, invocation.cwd)),
    );
  }
}

function configLines(
  change: EntryOutcome,
  path: string,
  { name, entry }: NewEnvironment,
): readonly Line[] {
  const label = l10n.t("configuration");
  switch (change) {
    case "created":
      return [labelled(label, l10n.t("{0}, new", path))];
    case "added":
      return [labelled(label, l10n.t("{0}, with {1} added", path, name))];
    case "present":
      return [labelled(label, l10n.t("{0} already names {1}; it is unchanged", path, name))];
    case "impossible":
      return [
        labelled(label, l10n.t("{0} cannot be edited. Add below environments:", path)),
        [`  ${name}: ${flowText(entry, "yaml")}`],
      ];
  }
}

/** What to set before training; empty for templates whose tasks the bundled model can learn. */
function choiceLines(
  kind: EnvNewCommand["template"],
  change: EntryOutcome,
  config: string,
): readonly Line[] {
  const template = ENVIRONMENT_TEMPLATES.find((each) => each.kind === kind);
  if (template === undefined || template.suitsEmbeddedModel) return [];
  const secrets = Object.keys(template.settings["secrets"] ?? {});
  return [
    [
      change === "created"
        ? l10n.t("Set model_name in {0} to a model larger than local/tiny-tool.", config)
        : l10n.t("Its tasks need a model larger than local/tiny-tool."),
    ],
    ...secrets.map((key): Line => [l10n.t("Set the secret {0}.", key.toUpperCase())]),
    BLANK,
  ];
}

/** Asks on a terminal; otherwise nothing is installed. */
async function asksForVenv({ input, out }: ProgramOptions): Promise<boolean> {
  if (!isPerson(input) || !out.isInteractive) return false;
  const question = l10n.t("Make a virtual environment and install the packages? [Y/n]");
  return askYesNo({ input, output: process.stdout }, question, "yes");
}

/** `folder` is the configuration's, relative to the working directory. */
function laterLines(project: PythonProject, folder: string): readonly Line[] {
  const steps = stepsWithVenv(project).map((words): Line => [`  ${shellWords(words, isWindows)}`]);
  return [
    BLANK,
    [l10n.t("To make the virtual environment:")],
    BLANK,
    ...(folder === "" ? [] : [[`  ${shellWords(["cd", folder], isWindows)}`]]),
    ...steps,
  ];
}
