/** Completes keys that a mapping may have but does not have yet. */

import { datasetFields } from "../../fields/environmentFields.ts";
import type { Field, FieldTable, MapShape, ObjectShape } from "../../fields/field.ts";
import { shapeAt } from "../../fields/fields.ts";
import { isDatasetEnvironment } from "../../fields/presets.ts";
import type { DefaultKind } from "../../fields/schema.ts";
import { CORRECTION_DEFAULTS } from "../../rules/correctionDefaults.ts";
import { typeText } from "../../rules/expectation.ts";
import { LOSS_DEFAULTS } from "../../rules/lossDefaults.ts";
import { fieldMarkdown } from "../descriptions/fieldText.ts";
import { flowText, wordText } from "../text/valueText.ts";
import { completeEnvironments, completeSecrets, completeSplits } from "./completeEnvironments.ts";
import {
  type Completion,
  type CompletionContext,
  type MapKey,
  type OfferedKey,
  snippetText,
} from "./completion.ts";

/** Keys for the mapping of type `shape` at the cursor. */
export function completeKeys(
  context: CompletionContext,
  shape: ObjectShape | MapShape,
): readonly Completion[] {
  const all =
    shape.type === "object"
      ? fieldKeys(context, shape.fields)
      : mapKeys(context, shape).map((key) => ({ ...key, shape: shape.of }));
  return all
    .filter(({ key }) => !context.cursor.present.includes(key))
    .map((options, index) => keyCompletion(context, options, index));
}

function fieldKeys(context: CompletionContext, fields: FieldTable): readonly OfferedKey[] {
  const [parent, environment] = context.path;
  const isOfEnvironment = parent === "environments" && context.path.length === 2;
  const offered = Object.entries(fields).filter(
    ([key]) => !isOfEnvironment || isOfferedTo(String(environment), key),
  );
  return offered.map(([key, field]) => ({
    key,
    kind: "key",
    detail: typeText(field),
    documentation: fieldMarkdown(field, context.kind),
    shape: field,
    example: exampleFor(field, context.kind),
    rank: rankOf(field),
    isDeprecated: field.replacedBy !== undefined,
  }));
}

/** Embedded environments have no server of their own, and only datasets take the dataset keys. */
function isOfferedTo(environment: string, key: string): boolean {
  if (key in datasetFields) return isDatasetEnvironment(environment);
  return key !== "server" || !environment.startsWith("local/");
}

/** Required keys first, then common ones, advanced ones, and deprecated ones last. */
function rankOf(field: Field): number {
  if (field.replacedBy !== undefined) return 4;
  if (field.default === undefined) return 0;
  if (field.isCommon === true) return 1;
  return field.isAdvanced === true ? 3 : 2;
}

/** Required keys are inserted with an example value to type over. */
function exampleFor(field: Field, kind: DefaultKind): string | null {
  const isScalar = field.type !== "map" && field.type !== "list" && field.type !== "object";
  if (field.default !== undefined || !isScalar) return null;
  const examples = field.examples ?? [];
  const local = examples.find((value) => typeof value === "string" && value.startsWith("local/"));
  const value = kind === "local" ? (local ?? examples[0]) : examples[0];
  return value === undefined ? null : flowText(value, "yaml");
}

function keyCompletion(context: CompletionContext, options: OfferedKey, index: number): Completion {
  const { cursor, language } = context;
  const isQuoted = language === "json" || cursor.quote === '"';
  const name = isQuoted ? JSON.stringify(options.key) : wordText(options.key, language);
  const value = cursor.hasColon ? "" : valueSnippet(context, options);
  return {
    label: options.key,
    kind: options.kind,
    detail: options.detail,
    documentation: options.documentation ?? "",
    snippet: snippetText(name) + value,
    replace: cursor.replace,
    filter: cursor.quote === null ? options.key : `${cursor.quote}${options.key}${cursor.quote}`,
    sort: `${options.rank ?? ""}${String(index).padStart(5, "0")}`,
    isDeprecated: options.isDeprecated ?? false,
    retrigger: value === ": " || value === ":\n  ",
  };
}

function valueSnippet(
  { cursor, language }: CompletionContext,
  { shape, example = null, block }: OfferedKey,
): string {
  if (block !== undefined) return `:${block}`;
  if (shape.type === "list") return ": [$0]";
  const isJson = language === "json";
  if (shape.type === "map" || (shape.type === "object" && shape.shorthand === undefined)) {
    if (isJson) return ": {$0}";
    return cursor.isFlow ? ": { $0 }" : ":\n  ";
  }
  const stop = example === null ? "$0" : `\${1:${snippetText(example)}}`;
  if (isJson && shape.type === "string") return `: "${stop}"`;
  return example === null ? ": " : `: ${stop}`;
}

function mapKeys(context: CompletionContext, { keyName, of }: MapShape): readonly MapKey[] {
  switch (keyName) {
    case "environment":
      return completeEnvironments(context, of);
    case "split":
      return completeSplits(context);
    case "secret":
      return completeSecrets(context);
    case "parameter":
      return parameterNames(context).map((key) => ({ key, kind: "key", detail: "number" }));
    default:
      return [];
  }
}

/** Parameters of each choice, with their default values. */
type ParameterTable = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** For each map of parameters: the key whose value selects them, and the parameters of each choice. */
const PARAMETERS: Readonly<Record<string, readonly [string, ParameterTable]>> = {
  loss_fn_config: ["loss_fn", LOSS_DEFAULTS],
  off_policy_correction_config: ["off_policy_correction", CORRECTION_DEFAULTS],
};

function parameterNames(context: CompletionContext): readonly string[] {
  const [choice, tables] = PARAMETERS[context.path[0] ?? ""] ?? ["", {}];
  const field = shapeAt([choice]);
  const usual = field !== undefined && "default" in field ? String(field.default) : "";
  const parameters = tables[context.writtenValue(choice) ?? usual] ?? {};
  return Object.keys(parameters);
}
