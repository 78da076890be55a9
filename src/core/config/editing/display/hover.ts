/** Hover text for the key or value under the pointer. Secrets are named, but their values are never shown. */

import { isScalar } from "yaml";
import { formatQuantity } from "../../../../shared/format.ts";
import { findLineUpModel } from "../../../models/lineUp.ts";
import { stateText } from "../../../secrets/keySource.ts";
import { type CheckedText, type CheckOptions, checkText } from "../../check.ts";
import { secretVariable } from "../../fields/environmentServers.ts";
import type { Field, Shape } from "../../fields/field.ts";
import { isSecret, shapeAt } from "../../fields/fields.ts";
import { isLocalModel } from "../../fields/presets.ts";
import { valueAt } from "../../rules/issues.ts";
import { type KeyPath, withoutStage } from "../../source/keyPath.ts";
import type { Span } from "../../source/span.ts";
import { scalarText } from "../../source/yamlNodes.ts";
import {
  allCheckpoints,
  type Catalogue,
  EMPTY_CATALOGUE,
  findEnvironment,
  findModel,
  formatListAge,
  listsFor,
} from "../catalogue/catalogue.ts";
import { checkpointMarkdown, environmentMarkdown, splitText } from "../descriptions/entryText.ts";
import { fieldMarkdown } from "../descriptions/fieldText.ts";
import {
  learningRateMarkdown,
  modelDetail,
  modelMarkdown,
  tableEntry,
  thinkingMarkdown,
} from "../descriptions/modelText.ts";
import { code, plainText, valueCode } from "../text/markdown.ts";
import { type FoundNode, nodeAt } from "../text/nodeAt.ts";
import { derivedText, isHidden, originText, partKeyAt } from "./origin.ts";

export interface HoverOptions extends CheckOptions {
  readonly catalogue?: Catalogue;
}

export interface HoverText {
  readonly span: Span;
  readonly markdown: string;
}

/** Null where there is nothing to show. Never throws. */
export function hover(text: string, offset: number, options: HoverOptions): HoverText | null {
  const checked = checkText(text, options);
  const found = nodeAt(checked.source, offset);
  if (found === null) return null;
  const parts = partsFor(checked, found, options.catalogue ?? EMPTY_CATALOGUE);
  return parts.length === 0 ? null : { span: found.span, markdown: parts.join("\n\n") };
}

function partsFor(checked: CheckedText, found: FoundNode, catalogue: Catalogue): readonly string[] {
  const { path } = found;
  const shape = shapeAt(path);
  if (shape === undefined) return [];
  const parent = shapeAt(path.slice(0, -1));
  if (parent?.type === "map" && found.part === "key") {
    return namePartsFor(checked, path, parent.keyName, catalogue);
  }
  if (isSecret(shape)) return secretParts(checked, path, catalogue);
  const named =
    found.part === "value" ? valueParts(withoutStage(path), textOf(found), catalogue) : [];
  if (!isField(shape)) return named;
  const key = path.at(-1) ?? "";
  return [
    ...named,
    ...(found.part === "key" ? [`**${code(key)}**`] : []),
    fieldMarkdown(shape, checked.kind),
    ...effectiveParts(checked, path, shape),
    ...adviceParts(checked, withoutStage(path)),
  ];
}

function isField(shape: Shape): shape is Field {
  return "doc" in shape;
}

function textOf({ node }: FoundNode): string {
  return isScalar(node) ? scalarText(node.value, node.source) : "";
}

function namePartsFor(
  checked: CheckedText,
  path: KeyPath,
  keyName: string,
  catalogue: Catalogue,
): readonly string[] {
  const name = path.at(-1) ?? "";
  switch (keyName) {
    case "environment":
      return environmentParts(name, catalogue);
    case "split":
      return splitParts(withoutStage(path)[1] ?? "", name, catalogue);
    case "secret":
      return secretParts(checked, path, catalogue);
    default:
      return [];
  }
}

function environmentParts(name: string, catalogue: Catalogue): readonly string[] {
  const entry = findEnvironment(catalogue, name);
  const list = listsFor(catalogue, name).environments;
  const head = `**${code(name)}** (environment)`;
  if (entry === null || list === null) return [head, "No details are known yet."];
  const details = environmentMarkdown(entry);
  const age = list.ageMs === 0 ? [] : [`*List ${formatListAge(list.ageMs)}.*`];
  return [head, ...(details === "" ? [] : [details]), ...age];
}

function splitParts(environment: string, name: string, catalogue: Catalogue): readonly string[] {
  const head = `**${code(name)}** (split of ${code(environment)})`;
  const splits = findEnvironment(catalogue, environment)?.splits ?? [];
  const split = splits.find((one) => one.name === name);
  const others = splits.filter((one) => one !== split).map(splitText);
  if (splits.length === 0) return [head, "No details are known yet."];
  if (split === undefined) {
    return [head, `The environment has no such split. It has ${others.join(", ")}.`];
  }
  const tasks = split.tasks === null ? "of unknown size" : formatQuantity(split.tasks, "task");
  return [
    `${head}: ${tasks}`,
    ...(others.length === 0 ? [] : [`Other splits: ${others.join(", ")}.`]),
  ];
}

function secretParts(
  checked: CheckedText,
  path: KeyPath,
  { secrets }: Catalogue,
): readonly string[] {
  const name = path.at(-1) ?? "";
  const head = `**${code(name)}** (secret)`;
  const key = partKeyAt(checked, path);
  const written = valueAt(key?.part.written, key?.path ?? []);
  if (written === "") return [head, "Withheld: this secret is not sent."];
  if (written !== null && written !== undefined) {
    return [head, "The value is in this file. Keep it outside the file and write `null`."];
  }
  if (secrets === null) return [head, "Looked up by its name when a run starts."];
  const origin = secrets.find((state) => state.name === secretVariable(path))?.origin ?? null;
  return [head, `${stateText(origin).replace(/^./, (letter) => letter.toUpperCase())}.`];
}

function valueParts(path: KeyPath, value: string, catalogue: Catalogue): readonly string[] {
  switch (path.length === 1 ? path[0] : undefined) {
    case "model_name": {
      return modelParts(value, catalogue);
    }
    case "resume_from":
    case "init_from": {
      const checkpoint = allCheckpoints(catalogue).find((entry) => entry.path === value);
      return checkpoint === undefined ? [] : [checkpointMarkdown(checkpoint)];
    }
    default:
      return [];
  }
}

function modelParts(name: string, catalogue: Catalogue): readonly string[] {
  const known = findLineUpModel(name);
  const model = findModel(catalogue, name) ?? (known === null ? null : tableEntry(known));
  if (model === null) return [];
  const more = modelMarkdown(name);
  const head = `**${code(name)}** ${plainText(modelDetail(model))}`.trimEnd();
  return more === "" ? [head] : [head, more];
}

function effectiveParts(checked: CheckedText, path: KeyPath, field: Field): readonly string[] {
  const key = partKeyAt(checked, path);
  const config = key?.part.repaired?.config;
  const value = valueAt(config, key?.path ?? []);
  const isShown = value !== undefined && isPlain(value);
  if (key === null || config === undefined || !isShown || isHidden(field, value)) return [];
  const derived = derivedText(config, key.path);
  const note = derived === null ? "" : `, which resolves to ${code(derived)}`;
  return [`Effective: ${valueCode(value)}${note} (${plainText(originText(checked.source, key))})`];
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function adviceParts({ repaired }: CheckedText, path: KeyPath): readonly string[] {
  if (repaired === null) return [];
  const name = repaired.config.model_name;
  switch (path.join(".")) {
    case "learning_rate":
      return isLocalModel(name)
        ? ["Suggested for the embedded model: `5e-4` to `2e-3`."]
        : [
            "Suggested for RL with LoRA: `1e-5` to `4e-5`, for any rank.",
            ...learningRateMarkdown(name),
          ];
    case "thinking":
    case "thinking.enabled":
    case "thinking.effort":
      return thinkingMarkdown(name);
    default:
      return [];
  }
}
