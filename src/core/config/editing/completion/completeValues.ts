/** Completes values: enum words, names from the catalogue, defaults and examples. */

import { formatDuration, formatQuantity, formatReward } from "../../../../shared/format.ts";
import type { Json } from "../../../json.ts";
import { formatFactsOf } from "../../../models/formatOfModel.ts";
import { listedModels } from "../../../models/lineUp.ts";
import { SERVICES } from "../../../services.ts";
import type { Field, Shape } from "../../fields/field.ts";
import { isWeightsPath } from "../../rules/namedWeights.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { type CatalogueCheckpoint, usableCheckpoints } from "../catalogue/catalogue.ts";
import { checkpointMarkdown } from "../descriptions/entryText.ts";
import { modelDetail, modelMarkdown, tableEntry } from "../descriptions/modelText.ts";
import { distinctLabels } from "../diagnostics/checkpointRules.ts";
import { flowText, wordText } from "../text/valueText.ts";
import { splitEntries } from "./completeEnvironments.ts";
import {
  type Completion,
  type CompletionContext,
  type CompletionKind,
  snippetText,
} from "./completion.ts";

/** A value before it is formatted for the text at the cursor. */
interface Candidate {
  readonly value: Json;
  readonly kind: CompletionKind;
  readonly detail: string;
  readonly documentation?: string;
  /** Shown instead of the value. */
  readonly label?: string;
}

/** Values for the field of type `shape` at the cursor. */
export function completeValues(
  context: CompletionContext,
  shape: Shape & Partial<Field>,
): readonly Completion[] {
  const offers = [...namesFor(context), ...valuesOf(context, narrowed(context, shape))];
  const unique = new Map<string, Candidate>();
  for (const candidate of offers) {
    const text = JSON.stringify(candidate.value);
    if (!unique.has(text)) unique.set(text, candidate);
  }
  const candidates = [...unique.values()];
  // When the text is already a complete value, the user wants another one: disable the editor's filter.
  const { prefix } = context.cursor;
  const isWhole = candidates.some(({ value }) => shownText(value) === prefix);
  return candidates.map((candidate, index) => {
    const completion = valueCompletion(context, candidate, index);
    const { quote } = context.cursor;
    return isWhole
      ? { ...completion, filter: `${quote ?? ""}${prefix}${quote ?? ""}` }
      : completion;
  });
}

/** Restricts `thinking.effort` to the levels that the model accepts. */
function narrowed(
  { path, writtenValue }: CompletionContext,
  shape: Shape & Partial<Field>,
): Shape & Partial<Field> {
  if (shape.type !== "enum" || path.join(".") !== "thinking.effort") return shape;
  const facts = formatFactsOf(writtenValue("model_name") ?? "");
  return facts === null ? shape : { ...shape, values: facts.efforts };
}

function valueCompletion(
  { cursor, language }: CompletionContext,
  { value, kind, detail, documentation = "", label }: Candidate,
  index: number,
): Completion {
  const isText = typeof value === "string";
  const isQuoted = isText && (language === "json" || cursor.quote !== null);
  const plain = isText && !isQuoted ? wordText(value, language) : flowText(value, language);
  const text = isQuoted ? JSON.stringify(value) : plain;
  const shown = shownText(value);
  return {
    label: label ?? shown,
    kind,
    detail,
    documentation,
    snippet: snippetText(cursor.needsSpace ? ` ${text}` : text),
    replace: cursor.replace,
    filter: isText && cursor.quote !== null ? `${cursor.quote}${shown}${cursor.quote}` : shown,
    sort: String(index).padStart(5, "0"),
    isDeprecated: false,
    retrigger: false,
  };
}

function shownText(value: Json): string {
  return typeof value === "string" ? value : flowText(value, "yaml");
}

function valuesOf(context: CompletionContext, shape: Shape & Partial<Field>): readonly Candidate[] {
  const usual = context.kind === "local" ? (shape.localDefault ?? shape.default) : shape.default;
  const isScalar = shape.type !== "map" && shape.type !== "object";
  return [
    ...wordsOf(shape),
    ...(isScalar && usual !== undefined ? [offer(usual, "default")] : []),
    ...exampleValues(context, shape),
    ...(shape.nullable === true ? [offer(null, "")] : []),
  ];
}

function wordsOf(shape: Shape): readonly Candidate[] {
  if (shape.type === "enum") return shape.values.map((value) => offer(value, "", "word"));
  const takesBoolean = shape.type === "boolean" || (shape.type === "object" && shape.shorthand);
  return takesBoolean ? [true, false].map((value) => offer(value, "", "word")) : [];
}

function exampleValues(
  context: CompletionContext,
  shape: Shape & Partial<Field>,
): readonly Candidate[] {
  if (shape.type === "map" || shape.type === "object") return [];
  const { localDefault } = shape;
  // Examples for large models do not suit small ones.
  if (context.kind === "local" && typeof localDefault === "number") {
    return [localDefault / 2, localDefault * 2].map((value) => offer(value, ""));
  }
  return (shape.examples ?? []).map((value) => offer(value, ""));
}

function offer(value: Json, detail: string, kind: CompletionKind = "value"): Candidate {
  return { value, kind, detail };
}

/** Names that fit the key at the cursor. */
function namesFor(context: CompletionContext): readonly Candidate[] {
  const { cursor, path } = context;
  const [first, second, third] = path;
  if (first === "evaluation" && second === "splits" && third !== undefined) {
    return evaluationSplits(context, third, path.length);
  }
  const [, stage] = cursor.path;
  if (path !== cursor.path && stage !== undefined && isRunPath(path)) {
    return [
      ...earlierStages(context, stage),
      ...(first === "init_from" ? checkpoints(context) : []),
    ];
  }
  switch (path.length === 1 ? first : undefined) {
    case "model_name":
      return models(context);
    case "tokenizer_name":
      return [...context.catalogue.tokenizers.map((name) => offer(name, "")), ...models(context)];
    case "resume_from":
      return [offer("auto", "continue the run with this name"), ...checkpoints(context)];
    case "init_from":
      return checkpoints(context);
    case "run_name":
    case "wandb_run_name":
    case "openreward_run_name":
      return context.fileName === "" ? [] : [offer(context.fileName, "name of this file")];
    default:
      return [];
  }
}

/** Whether the setting of a stage refers to another run. */
function isRunPath(path: KeyPath): boolean {
  const [first, , third] = path;
  const isSource = first === "data" && third === "run" && path.length === 3;
  return isSource || isWeightsPath(path);
}

/** The nearest earlier stage first. */
function earlierStages({ cursor }: CompletionContext, stage: string): readonly Candidate[] {
  const names = cursor.keys
    .filter(({ path }) => path.length === 1 && path[0] === "stages")
    .map(({ key }) => key);
  return names
    .slice(0, Math.max(0, names.indexOf(stage)))
    .reverse()
    .map((name) => offer(`stage:${name}`, "run of this stage"));
}

function evaluationSplits(
  context: CompletionContext,
  environment: string,
  depth: number,
): readonly Candidate[] {
  const entries = splitEntries(context, environment);
  const isItem = depth === 4;
  return entries.map(({ name, tasks }) => ({
    value: isItem ? name : [name],
    kind: "split",
    detail: tasks === null ? "" : formatQuantity(tasks, "task"),
  }));
}

/** The service's own list, or the built-in table without one. Embedded models come first if there is no key for the others. */
function models({ catalogue }: CompletionContext): readonly Candidate[] {
  const hosted = catalogue.hosted.models?.items ?? listedModels().map(tableEntry);
  const local = catalogue.local.models?.items ?? [];
  const key = catalogue.secrets?.find(({ name }) => name === SERVICES.tinker.variable);
  return (key?.origin === null ? [...local, ...hosted] : [...hosted, ...local]).map((model) => ({
    value: model.name,
    kind: "model",
    detail: modelDetail(model),
    documentation: modelMarkdown(model.name),
  }));
}

function checkpoints({ catalogue }: CompletionContext): readonly Candidate[] {
  const usable = usableCheckpoints(catalogue);
  const labels = distinctLabels(usable);
  return usable.map((checkpoint) => ({
    value: checkpoint.path,
    kind: "checkpoint",
    label: labels.get(checkpoint.path) ?? checkpoint.path,
    detail: checkpointDetail(checkpoint),
    documentation: checkpointMarkdown(checkpoint),
  }));
}

function checkpointDetail({ kind, model, reward, expiresInMs }: CatalogueCheckpoint): string {
  return [
    kind,
    reward === null ? null : `reward ${formatReward(reward)}`,
    model,
    expiresInMs === null ? null : `expires in ${formatDuration(expiresInMs / 1000)}`,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}
