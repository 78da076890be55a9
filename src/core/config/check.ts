/** All checks of a configuration's text, by the one set of rules that the program and the editor share. */

import { AppError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import { coerce } from "./fields/coerce.ts";
import { configShape } from "./fields/fields.ts";
import { isLocalModel } from "./fields/presets.ts";
import { type Config, configSchemaFor, type DefaultKind } from "./fields/schema.ts";
import { notationFindings } from "./notation.ts";
import { applyOverrides, type OverriddenValues } from "./overrides.ts";
import { isReplaced, type Repaired, repair } from "./repair.ts";
import { findingsOf, valueAt } from "./rules/issues.ts";
import { crossFieldFindings } from "./rules/rules.ts";
import { secretFindings } from "./rules/secretRules.ts";
import { stageFindings } from "./rules/stageRules.ts";
import { keepAnchored } from "./rules/unknownKeys.ts";
import type { Finding } from "./source/finding.ts";
import { withoutIgnored } from "./source/ignoreComments.ts";
import { locate } from "./source/locate.ts";
import type { Problem, RuleCode } from "./source/problem.ts";
import { languageOf, readYaml, type YamlSource } from "./source/yamlSource.ts";
import { joinFindings, stagesOf } from "./stages.ts";

export interface CheckOptions {
  /** Name of the file: one that ends in `.json` is held to JSON's scalars. */
  readonly path: string;
  /** Settings over those of the file, each as `key=value`; the last one wins. */
  readonly overrides?: readonly string[];
}

export interface CheckedText {
  readonly source: YamlSource;
  /** What the file says, read by the types of the fields and not validated; null when it cannot be read. Of a file with stages what holds for the first, or for the one that is chosen. */
  readonly written: unknown;
  readonly overridden: OverriddenValues;
  readonly kind: DefaultKind;
  /** The configuration with all defaults; null when a field has a fault. Of a file with stages that of the first, or of the one that is chosen, which has no `stages`. */
  readonly config: Config | null;
  /** The same with placeholders for what has a fault; null when the file cannot be read at all. */
  readonly repaired: Repaired | null;
  /** The stages that were checked in their order, or the whole file. */
  readonly parts: readonly CheckedPart[];
  /** In the order of the text, those of overrides first. */
  readonly problems: readonly Problem[];
}

/** A stage, or the whole file. */
export interface CheckedPart
  extends Pick<CheckedText, "written" | "overridden" | "kind" | "repaired"> {
  /** Null for a file without stages. */
  readonly name: string | null;
}

/** Reads and checks YAML 1.2 or JSON text. Never throws. */
export function checkText(text: string, options: CheckOptions): CheckedText {
  const checked = checkWhole(text, options);
  const { source, problems } = checked;
  // What was refused for its size would be refused again.
  const isRefused = source.root === null || source.exhaustedAt() !== null;
  if (checked.isRead || isRefused) return checked;
  return {
    ...checked,
    problems: inTextOrder([...problems, ...problemsBeside(source, problems, options)]),
  };
}

/** @returns `isRead` false when the text has faults that hide the rest */
function checkWhole(
  text: string,
  { path, overrides = [] }: CheckOptions,
): CheckedText & { readonly isRead: boolean } {
  const source = readYaml(text, languageOf(path));
  const written = source.root === null ? null : coerce(source, source.root, configShape);
  const given = isJsonObject(written) ? overrides : [];
  const chosen = valueAt(applyOverrides(written, given).values, ["stage"]);
  const parts = stagesOf(written, chosen).map(({ name, values }) => {
    const overridden = applyOverrides(values, given);
    return { name, written: values, overridden, kind: defaultKindOf(overridden.values) };
  });
  const [first] = parts;
  if (first === undefined) throw new AppError("invariant", "A file has at least one part.");
  const faults = faultProblems(source);
  const { name: _, ...ofFirst } = first;
  const base = { source, ...ofFirst, parts: [], isRead: true };
  if (faults.some(({ severity }) => severity === "error")) {
    return { ...base, isRead: false, config: null, repaired: null, problems: inTextOrder(faults) };
  }
  if (source.root === null)
    return { ...base, config: null, repaired: null, problems: [EMPTY_FILE] };

  const checked = parts.map((part) => ({ ...part, ...checkValues(part) }));
  const [{ repaired } = { repaired: null }] = checked;
  const findings = [
    ...joinFindings(source, checked),
    ...stageFindings(written, checked),
    ...notationFindings(source, first.kind),
    ...secretFindings(source),
  ];
  const problems = [
    ...faults,
    ...first.overridden.problems,
    ...findings.map((finding) =>
      locateFinding(source, keepAnchored(source, finding), first.overridden.overrideBehind),
    ),
  ];
  const isSound = checked.every(({ config }) => config !== null);
  const config = isSound ? (checked[0]?.config ?? null) : null;
  return {
    ...base,
    config,
    repaired,
    parts: checked,
    problems: inTextOrder(withoutIgnored(problems, text)),
  };
}

/** The values of a run by the schema and by the rules over several keys. */
function checkValues({ overridden: { values }, kind }: Pick<CheckedText, "overridden" | "kind">) {
  const schema = configSchemaFor(kind, values);
  const checked = schema.safeParse(values);
  const repaired = checked.success
    ? { config: checked.data, replaced: [] }
    : repair(values, schema);
  const findings = [
    ...(checked.success ? [] : findingsOf(checked.error.issues, values)),
    ...(repaired === null ? [] : ruleFindings(repaired, values)),
  ];
  return { config: checked.success ? checked.data : null, repaired, findings };
}

/** The finding as a problem at its place in the text, or at the override behind it. */
export function locateFinding(
  source: YamlSource,
  { part, relatedPaths = [], remedies = [], ...finding }: Finding,
  overrideBehind: OverriddenValues["overrideBehind"],
): Problem {
  const override = overrideBehind(finding.path);
  const related = relatedPaths.flatMap((path) => {
    const span = locate(source, path, "value");
    return span === null ? [] : [{ path, span }];
  });
  if (override !== null) {
    return { ...finding, at: null, span: null, related, remedies: [], override };
  }
  const span = locate(source, finding.path, part);
  const at = span === null ? null : source.position(span.start);
  return { ...finding, at, span, related, remedies };
}

/** By line and column; what has no place comes first. */
export function inTextOrder(problems: readonly Problem[]): readonly Problem[] {
  const line = (problem: Problem): number => problem.at?.line ?? 0;
  const column = (problem: Problem): number => problem.at?.column ?? 0;
  return problems.toSorted((a, b) => line(a) - line(b) || column(a) - column(b));
}

const EMPTY_FILE: Problem = {
  severity: "error",
  code: "TRL111",
  message: "The file has no settings. Start with `model_name`, `batch_size` and `environments`.",
  path: [],
  at: null,
  span: null,
  related: [],
  remedies: [],
};

function defaultKindOf(values: unknown): DefaultKind {
  const name = isJsonObject(values) ? values["model_name"] : null;
  return typeof name === "string" && isLocalModel(name) ? "local" : "hosted";
}

function faultProblems(source: YamlSource): readonly Problem[] {
  const problems = source.faults.map(
    ({ severity, message, span, remedies = [] }): Problem => ({
      severity,
      code: "TRL100",
      message,
      path: [],
      at: source.position(span.start),
      span,
      related: [],
      remedies,
    }),
  );
  const span = source.exhaustedAt();
  if (span === null) return problems;
  const message =
    "From here on, aliases expand to more than a configuration can hold. Write the values out.";
  const at = source.position(span.start);
  return [...problems, { ...EMPTY_FILE, code: "TRL100", message, at, span }];
}

/** Reported beside syntax faults. Other findings may follow from the lines that could not be read, for example a missing key. */
const REPORTED_BESIDE_FAULTS: ReadonlySet<RuleCode> = new Set([
  "TRL110",
  "TRL120",
  "TRL121",
  "TRL122",
  "TRL123",
  "TRL125",
  "TRL400",
]);
/** Half-written places at a time. */
const MAX_BLANKED = 3;

/**
 * What is wrong in the lines without a fault, so that a key that is being typed does not hide it; nothing when the text cannot be
 * read without those lines either. Without remedies, which rest on the text as it was read.
 */
function problemsBeside(
  source: YamlSource,
  faults: readonly Problem[],
  options: CheckOptions,
): readonly Problem[] {
  const offsets = faults.flatMap(({ span }) => (span === null ? [] : [span.start]));
  // With a line at the wrong depth, or characters that hide the structure, what else is found follows from them.
  const isStructureUnknown = faults.some(({ remedies }) =>
    remedies.some(({ kind }) => kind === "align" || kind === "replaceStrays"),
  );
  if (isStructureUnknown) return [];
  const isSecondDocument = offsets.some((offset) => source.text.startsWith("---", offset));
  if (offsets.length > MAX_BLANKED || isSecondDocument) return [];
  const text = withoutLines(source.text, offsets);
  if (text === source.text) return [];
  return checkWhole(text, options)
    .problems.filter(({ code }) => REPORTED_BESIDE_FAULTS.has(code))
    .map((problem) => ({ ...problem, remedies: [] }));
}

function ruleFindings(repaired: Repaired, values: unknown): readonly Finding[] {
  return crossFieldFindings(repaired.config, values).filter(({ path, relatedPaths = [] }) =>
    path.length === 0
      ? repaired.replaced.length === 0
      : ![path, ...relatedPaths].some((place) => isReplaced(repaired, place)),
  );
}

/** The text with spaces for the lines at `offsets` and what is indented under them; everything else stays where it is. */
function withoutLines(text: string, offsets: readonly number[]): string {
  let at = 0;
  let hidden: number | null = null;
  const lines = text.split("\n").map((line) => {
    const end = at + line.length;
    const indent = line.search(/\S/);
    if (offsets.some((offset) => offset >= at && offset <= end)) hidden = Math.max(0, indent);
    else if (hidden !== null && indent >= 0 && indent <= hidden) hidden = null;
    at = end + 1;
    return hidden === null ? line : " ".repeat(line.length);
  });
  return lines.join("\n");
}
