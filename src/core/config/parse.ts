/** From the text of a configuration file to a whole configuration, or to everything that is wrong with it. */

import { isJsonObject } from "../json.ts";
import { coerce } from "./coerce.ts";
import { configShape } from "./fields.ts";
import { type Finding, findingsOf } from "./issues.ts";
import { locate } from "./locate.ts";
import { type AppliedOverride, applyOverrides, type OverriddenValues } from "./overrides.ts";
import { isLocalModel } from "./presets.ts";
import type { Problem } from "./problem.ts";
import { crossFieldFindings } from "./rules.ts";
import { type Config, configSchemas, type DefaultKind } from "./schema.ts";
import { readYaml, type YamlSource } from "./yamlSource.ts";

export type ParseResult =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly Problem[];
      readonly overrides: readonly AppliedOverride[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface ParseOptions {
  /** Name of the file: one that ends in `.json` is held to JSON's scalars. */
  readonly path: string;
  /** Settings over those of the file, each as `key=value`; the last one wins. */
  readonly overrides?: readonly string[];
}

const EMPTY_FILE: Problem = {
  severity: "error",
  code: "empty",
  message: "The file holds no settings. Start with `model_name`, `batch_size` and `environments`.",
  path: [],
  at: null,
};

/**
 * Reads YAML 1.2 or JSON text as a configuration with all defaults filled in. Never throws; problems and warnings come
 * in the order of the text, those of overrides first.
 */
export function parseConfig(text: string, { path, overrides = [] }: ParseOptions): ParseResult {
  const source = readYaml(text, path.toLowerCase().endsWith(".json") ? "json" : "yaml");
  const faults = source.faults.map((fault): Problem => ({ ...fault, code: "syntax", path: [] }));
  if (faults.some(isError)) return { ok: false, problems: inOrder(faults) };
  if (source.root === null) return { ok: false, problems: [EMPTY_FILE] };

  const written = coerce(source, source.root, configShape);
  const overridden = applyOverrides(written, isJsonObject(written) ? overrides : []);
  const { values } = overridden;
  const checked = configSchemas[defaultKindOf(values)].safeParse(values);
  const findings = checked.success
    ? crossFieldFindings(checked.data)
    : findingsOf(checked.error.issues, values);
  const problems = inOrder([
    ...faults,
    ...overridden.problems,
    ...findings.map((finding) => place(source, overridden, finding)),
  ]);
  return checked.success && !problems.some(isError)
    ? { ok: true, config: checked.data, warnings: problems, overrides: overridden.applied }
    : { ok: false, problems };
}

function defaultKindOf(values: unknown): DefaultKind {
  const name = isJsonObject(values) ? values["model_name"] : null;
  return typeof name === "string" && isLocalModel(name) ? "local" : "hosted";
}

function place(
  source: YamlSource,
  { overrideBehind }: OverriddenValues,
  { part, ...problem }: Finding,
): Problem {
  const override = overrideBehind(problem.path);
  if (override !== null) return { ...problem, at: null, override };
  return { ...problem, at: locate(source, problem.path, part) };
}

function isError(problem: Problem): boolean {
  return problem.severity === "error";
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const line = (problem: Problem): number => problem.at?.line ?? 0;
  const column = (problem: Problem): number => problem.at?.column ?? 0;
  return problems.toSorted((a, b) => line(a) - line(b) || column(a) - column(b));
}
