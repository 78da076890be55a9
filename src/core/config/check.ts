/** Runs every check of a configuration's text. The program and the editor share this one set of rules. */

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
  /** File name. One that ends in `.json` must use JSON's scalars. */
  readonly path: string;
  /** `key=value` settings that override the file; the last one wins. */
  readonly overrides?: readonly string[];
}

export interface CheckedText {
  readonly source: YamlSource;
  /** The file's values, coerced but not validated; null if unreadable. With stages: those of the chosen stage, or the first. */
  readonly written: unknown;
  readonly overridden: OverriddenValues;
  readonly kind: DefaultKind;
  /** The configuration with all defaults; null if any field is invalid. With stages: the chosen stage or the first, without `stages`. */
  readonly config: Config | null;
  /** The same with placeholders for invalid values; null if the file cannot be read at all. */
  readonly repaired: Repaired | null;
  /** The checked stages in order, or the whole file as one part. */
  readonly parts: readonly CheckedPart[];
  /** In text order; problems of overrides come first. */
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
  // Text that was refused for its size would be refused again.
  const isRefused = source.root === null || source.exhaustedAt() !== null;
  if (checked.isRead || isRefused) return checked;
  return {
    ...checked,
    problems: inTextOrder([...problems, ...problemsBeside(source, problems, options)]),
  };
}

/** @returns `isRead` is false when faults in the text hide everything else */
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

/** Checks one part's values against the schema and the cross-field rules. */
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

/** Turns a finding into a problem located in the text, or at the override that caused it. */
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

/** Sorts by line and column; problems without a location come first. */
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
  remedies: [
    {
      kind: "insertDemo",
      title: "Insert a configuration for the embedded model",
      isPreferred: true,
    },
  ],
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
  return [...problems, { ...EMPTY_FILE, code: "TRL100", message, at, span, remedies: [] }];
}

/** Codes still reported next to syntax faults. Other findings, such as a missing key, may only follow from the unreadable lines. */
const REPORTED_BESIDE_FAULTS: ReadonlySet<RuleCode> = new Set([
  "TRL110",
  "TRL120",
  "TRL121",
  "TRL122",
  "TRL123",
  "TRL125",
  "TRL400",
]);
/** The most half-written places that are blanked out. */
const MAX_BLANKED = 3;

/**
 * Problems in the lines without a syntax fault, so that a key being typed does not hide them. Empty when the text is unreadable even
 * without the faulty lines. Remedies are dropped unless the original text, which they change, can be read.
 */
function problemsBeside(
  source: YamlSource,
  faults: readonly Problem[],
  options: CheckOptions,
): readonly Problem[] {
  const offsets = faults.flatMap(({ span }) => (span === null ? [] : [span.start]));
  // Wrong indentation or characters that hide the structure would cause misleading follow-up findings.
  const isStructureUnknown = faults.some(({ remedies }) =>
    remedies.some(({ kind }) => kind === "align" || kind === "replaceStrays"),
  );
  if (isStructureUnknown) return [];
  const isSecondDocument = offsets.some((offset) => source.text.startsWith("---", offset));
  if (offsets.length > MAX_BLANKED || isSecondDocument) return [];
  const text = withoutLines(source.text, offsets);
  if (text === source.text) return [];
  const found = checkWhole(text, options).problems.filter(({ code }) =>
    REPORTED_BESIDE_FAULTS.has(code),
  );
  const isOfDuplicates = faults.every(({ remedies }) =>
    remedies.some(({ kind }) => kind === "removePairAt"),
  );
  return isOfDuplicates ? found : found.map((problem) => ({ ...problem, remedies: [] }));
}

function ruleFindings(repaired: Repaired, values: unknown): readonly Finding[] {
  return crossFieldFindings(repaired.config, values).filter(({ path, relatedPaths = [] }) =>
    path.length === 0
      ? repaired.replaced.length === 0
      : ![path, ...relatedPaths].some((place) => isReplaced(repaired, place)),
  );
}

/** The text with the lines at `offsets` and everything indented under them replaced by spaces, so other offsets stay valid. */
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
