/** Everything that an editor marks in a configuration, by the same rules that the program checks. */

import {
  type CheckedPart,
  type CheckedText,
  type CheckOptions,
  checkText,
  inTextOrder,
  locateFinding,
} from "../../check.ts";
import { isSame } from "../../fields/sameValue.ts";
import { isReplaced } from "../../repair.ts";
import { advice, type Finding } from "../../source/finding.ts";
import { withoutIgnored } from "../../source/ignoreComments.ts";
import { entryAt, locate } from "../../source/locate.ts";
import type { Problem, RuleCode } from "../../source/problem.ts";
import type { Span } from "../../source/span.ts";
import { joinFindings, ownPlace } from "../../stages.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { catalogueFindings, modelList } from "./catalogueRules.ts";
import { dataProblems, type FactsOf } from "./dataSources.ts";
import { folderFindings, type KnownFolders } from "./folderRules.ts";

export interface DiagnoseOptions extends CheckOptions {
  readonly catalogue?: Catalogue;
  readonly folders?: KnownFolders;
  /** Looks up the contents of `data` sources. */
  readonly factsOf?: FactsOf;
  /** Which advice (TRL2xx codes that do not block a run) to show; `essential` leaves out notes. */
  readonly advice?: "all" | "essential" | "off";
  /** True when another extension already checks the file against the schema. */
  readonly hasSchemaChecker?: boolean;
}

/** A problem as an editor shows it. Without a location in the text, the span is empty and at the start. */
export type Diagnosis = Problem & { readonly span: Span };

/** Codes that a schema check finds by itself. */
const SCHEMA_CODES: ReadonlySet<RuleCode> = new Set([
  "TRL110",
  "TRL111",
  "TRL120",
  "TRL121",
  "TRL122",
]);
/** Shown as errors in the editor although they do not block a run, so that a secret in the file is not overlooked. */
const RAISED: ReadonlySet<RuleCode> = new Set(["TRL400"]);
/** Errors based on lists that may be out of date, so the user may ignore them. */
const IGNORABLE_ERRORS: ReadonlySet<RuleCode> = new Set(["TRL300", "TRL301", "TRL302", "TRL303"]);
const MAX_DIAGNOSES = 500;

/** All problems in text order. Never throws. */
export function diagnose(text: string, options: DiagnoseOptions): readonly Diagnosis[] {
  return diagnoseChecked(checkText(text, options), options);
}

/** {@link diagnose} for text that is already checked. */
export function diagnoseChecked(
  checked: CheckedText,
  options: DiagnoseOptions,
): readonly Diagnosis[] {
  const { source, problems } = checked;
  const live = withoutIgnored(
    [...liveProblems(checked, options), ...hiddenValues(checked)],
    source.text,
    ({ severity, code }) => severity !== "error" || IGNORABLE_ERRORS.has(code),
  );
  const isListed = hasServiceList(checked, options);
  const own = problems.filter(({ code }) => !(isListed && code === "TRL215"));
  return inTextOrder([...own, ...live])
    .filter((problem) => isWanted(problem, options))
    .slice(0, MAX_DIAGNOSES)
    .map((problem) => asDiagnosis(problem, checked));
}

/** Whether the service's own list covers the model, so that the built-in table's finding about it is dropped. */
function hasServiceList({ repaired }: CheckedText, { catalogue }: DiagnoseOptions): boolean {
  if (repaired === null || catalogue === undefined) return false;
  const list = modelList(repaired.config, catalogue);
  const name = repaired.config.model_name;
  return list !== null && (list.isComplete || list.items.some((model) => model.name === name));
}

function liveProblems(checked: CheckedText, options: DiagnoseOptions): readonly Problem[] {
  const { source, overridden, parts } = checked;
  const { factsOf } = options;
  const found = parts.map((part) => ({ ...part, findings: partFindings(part, options) }));
  return [
    ...joinFindings(source, found).map((finding) =>
      locateFinding(source, finding, overridden.overrideBehind),
    ),
    ...(factsOf === undefined ? [] : dataProblems(checked, factsOf)),
  ];
}

function partFindings(
  { repaired }: CheckedPart,
  { catalogue, folders }: DiagnoseOptions,
): readonly Finding[] {
  if (repaired === null) return [];
  const findings = [
    ...(catalogue === undefined ? [] : catalogueFindings(repaired.config, catalogue)),
    ...(folders === undefined ? [] : folderFindings(repaired.config, folders)),
  ];
  return findings.filter(({ path }) => !isReplaced(repaired, path));
}

/** Values in the file, including in stages, that an override replaces. */
function hiddenValues({ source, overridden, parts }: CheckedText): readonly Problem[] {
  return overridden.applied.flatMap(({ path: key, text }): readonly Problem[] => {
    if (overridden.overrideBehind(key) !== text) return [];
    return parts
      .map(({ name }) => ownPlace(source, name, key))
      .filter((path, index, all) => all.findIndex((other) => isSame(other, path)) === index)
      .filter((path) => entryAt(source, path) !== null)
      .map((path) => {
        const remedies = [
          { kind: "command", command: "openOverrides", path, title: "Show overrides" } as const,
        ];
        const message = `This value has no effect: the override \`${text}\` replaces it.`;
        return locateFinding(source, advice("TRL500", path, message, { remedies }), () => null);
      });
  });
}

function isWanted(
  { code, severity }: Problem,
  { advice = "all", hasSchemaChecker = false }: DiagnoseOptions,
): boolean {
  if (hasSchemaChecker && SCHEMA_CODES.has(code)) return false;
  if (advice === "all" || severity === "error" || !code.startsWith("TRL2")) return true;
  return advice === "essential" && severity === "warning";
}

function asDiagnosis(problem: Problem, { source }: CheckedText): Diagnosis {
  const { code, override, path } = problem;
  const severity = RAISED.has(code) ? "error" : problem.severity;
  const place = problem.span ?? (override === undefined ? null : locate(source, path, "value"));
  return { ...problem, severity, span: place ?? { start: 0, end: 0 } };
}
