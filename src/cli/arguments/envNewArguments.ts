/** Understands the words behind `env new`. */

import {
  ENVIRONMENT_TEMPLATES,
  type EnvironmentTemplateKind,
} from "../../core/scaffold/environmentTemplates.ts";
import { lastValue, refuseFurther } from "./argumentValues.ts";
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
    template: templateOf(given),
    configPath: lastValue(given, "config_path") ?? null,
    wantsVenv: venvOf(given),
  };
}

function templateOf(given: ParsedFlags): EnvironmentTemplateKind {
  const kinds = ENVIRONMENT_TEMPLATES.map(({ kind }) => kind);
  const word = lastValue(given, "template") ?? "question";
  const kind = kinds.find((each) => each === word);
  if (kind !== undefined) return kind;
  throw argumentError(
    `--template is ${JSON.stringify(word)}. It can be ${kinds.join(", ")}`,
    COMMAND,
  );
}

function venvOf({ switches }: ParsedFlags): boolean | null {
  const [wants, refuses] = [switches.has("venv"), switches.has("no-venv")];
  if (wants && refuses) throw argumentError("--venv and --no-venv exclude each other", COMMAND);
  return wants || refuses ? wants : null;
}
