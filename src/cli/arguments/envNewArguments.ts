/** Understands the words behind `env new`. */

import {
  ENVIRONMENT_TEMPLATES,
  type EnvironmentTemplateKind,
} from "../../core/scaffold/environmentTemplates.ts";
import { lastValue, oneOf, refuseFurther } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Writes a new environment in Python. */
export interface EnvNewCommand {
  readonly kind: "env-new";
  readonly name: string;
  readonly template: EnvironmentTemplateKind;
  /** The configuration that gets it; null = `tinker-config.yaml` in the working directory. */
  readonly configPath: string | null;
  /** Whether to make a virtual environment; null = ask a person, else no. */
  readonly wantsVenv: boolean | null;
}

const COMMAND = "env";
const KINDS = ENVIRONMENT_TEMPLATES.map(({ kind }) => kind);

/** @throws AppError `bad-arguments` */
export function envNewCommand(
  given: ParsedFlags,
  [name, ...further]: readonly string[],
): EnvNewCommand {
  if (name === undefined) throw argumentError("env new needs a name", COMMAND);
  refuseFurther(further, COMMAND);
  return {
    kind: "env-new",
    name,
    template: oneOf(KINDS, lastValue(given, "template") ?? "question", "template", COMMAND),
    configPath: lastValue(given, "config_path") ?? null,
    wantsVenv: venvOf(given),
  };
}

function venvOf({ switches }: ParsedFlags): boolean | null {
  const [wants, refuses] = [switches.has("venv"), switches.has("no-venv")];
  if (wants && refuses) throw argumentError("--venv and --no-venv exclude each other", COMMAND);
  return wants || refuses ? wants : null;
}
