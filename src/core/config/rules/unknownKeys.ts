/** Findings about unknown keys that suggest the right name or the right place. */

import { isAlias, isNode, visit } from "yaml";
import { nearestWords } from "../../../shared/editDistance.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Shape } from "../fields/field.ts";
import { type FieldSection, fieldOf, fieldSections } from "../fields/fields.ts";
import { conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import { entryAt } from "../source/locate.ts";
import { preferFirst, type Remedy, removal, renamesOf } from "../source/remedy.ts";
import type { YamlSource } from "../source/yamlSource.ts";
import { ownNameOf } from "./foreignKeys.ts";

const MAX_SHOWN = 80;

/** `path` ends with the key; `siblings` is the mapping that contains it, and `parent` its shape. */
export function unknownKey(path: KeyPath, siblings: unknown, parent: Shape | undefined): Finding {
  const key = path.at(-1) ?? "";
  const shown = key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key;
  const { advice, remedies } = adviceFor(path, key, siblings, parent);
  const message = `Unknown key \`${shown}\`. ${advice}`;
  return conflict("TRL110", path, message, { part: "key", remedies });
}

/** Fields at the indentation of environment names whose values cannot be environments, except those in `explained`. */
export function misplacedFields(values: unknown, explained: readonly string[]): readonly Finding[] {
  const environments = isJsonObject(values) ? values["environments"] : undefined;
  if (!isJsonObject(environments)) return [];
  return Object.entries(environments).flatMap(([key, value]) => {
    const section = sectionOf(key);
    if (section === undefined || isJsonObject(value) || explained.includes(key)) return [];
    const path = ["environments", key];
    const { advice, remedies } = moveTo(path, key, section, environments);
    const message = `\`${key}\` is indented like an environment. ${advice}`;
    return [conflict("TRL110", path, message, { part: "key", remedies: preferFirst(remedies) })];
  });
}

interface Advice {
  readonly advice: string;
  readonly remedies: readonly Remedy[];
}

function adviceFor(
  path: KeyPath,
  key: string,
  siblings: unknown,
  parent: Shape | undefined,
): Advice {
  const known = parent?.type === "object" ? Object.keys(parent.fields) : [];
  const foreign = ownNameOf(key);
  const ownSection = sectionOf(key);
  if (foreign !== null && known.includes(foreign)) {
    const renamed = rename(path, [foreign], siblings);
    if (ownSection === undefined) return renamed;
    const moved = moveTo(path, key, ownSection, siblings);
    return {
      advice: `${renamed.advice} \`${key}\` belongs ${whereOf(ownSection.place)}.`,
      remedies: [...renamed.remedies, ...moved.remedies],
    };
  }
  const own = ownSection === undefined ? (foreign ?? key) : key;
  const section = ownSection ?? sectionOf(own);
  if (section !== undefined) return moveTo(path, own, section, siblings);
  const near = nearestWords(key, known);
  if (near.length > 0) return rename(path, near, siblings);
  return {
    advice: "Remove it.",
    remedies: [shortRemoval(path)],
  };
}

function sectionOf(key: string): FieldSection | undefined {
  return fieldSections.find(
    ({ fields, hasCommonNames }) => hasCommonNames !== true && fieldOf(fields, key) !== undefined,
  );
}

function rename(path: KeyPath, words: readonly string[], siblings: unknown): Advice {
  const isAvailable = (word: string): boolean =>
    !(isJsonObject(siblings) && Object.hasOwn(siblings, word));
  const available = renamesOf(path, words.filter(isAvailable));
  return {
    advice: `Did you mean \`${words[0]}\`?`,
    remedies: available.length > 0 ? available : [shortRemoval(path)],
  };
}

function shortRemoval(path: KeyPath): Remedy {
  return { ...removal(path), title: `Remove '${short(path.at(-1) ?? "")}'` };
}

function whereOf(place: string): string {
  return place === "" ? "at the top level" : `in \`${place}\``;
}

function moveTo(path: KeyPath, own: string, section: FieldSection, siblings: unknown): Advice {
  const { place } = section;
  const target = place === "" ? [] : placeFor(place, path, siblings);
  const where = whereOf(target === null ? place : target.join("."));
  const key = path.at(-1);
  const advice =
    own === key ? `It belongs ${where}.` : `It is called \`${own}\` and belongs ${where}.`;
  if (target === null) return { advice, remedies: [] };
  const to = [...target, own];
  const title = place === "" ? `Move '${own}' to the top level` : `Move to ${to.join(".")}`;
  return { advice, remedies: [{ kind: "move", path, to, title }] };
}

/** The concrete path that `place` means in this file; null when there is none or more than one. */
function placeFor(place: string, path: KeyPath, siblings: unknown): readonly string[] | null {
  if (!place.includes("<")) return [place];
  if (place !== "environments.<name>" || !isJsonObject(siblings)) return null;
  const [first, name = ""] = path;
  if (first === "environments" && path.length === 2) return environmentAround(name, siblings);
  const environments = path.length === 1 ? siblings["environments"] : null;
  const names = isJsonObject(environments) ? Object.keys(environments) : [];
  return names.length === 1 ? ["environments", ...names] : null;
}

/** The environment above the line of `key`, or else the first one below. */
function environmentAround(key: string, environments: JsonObject): readonly string[] | null {
  const names = Object.keys(environments);
  const isEnvironment = (name: string): boolean => isJsonObject(environments[name]);
  const above = names.slice(0, names.indexOf(key)).findLast(isEnvironment);
  const name = above ?? names.find(isEnvironment);
  return name === undefined ? null : ["environments", name];
}

function short(key: string): string {
  return key.length > 40 ? `${key.slice(0, 40)}…` : key;
}

/** Suggests renaming instead of removing an unknown key when aliases elsewhere use its anchor. */
export function keepAnchored(source: YamlSource, finding: Finding): Finding {
  const isRemoved = finding.remedies?.some(({ kind }) => kind === "remove") === true;
  if (finding.code !== "TRL110" || !isRemoved || !hasUsedAnchor(source, finding.path)) {
    return finding;
  }
  const key = finding.path.at(-1) ?? "";
  const to = `x-${key}`;
  return {
    ...finding,
    message: `Unknown key \`${key}\`, but other lines use its anchor. Rename it to \`${to}\`: keys that begin with \`x-\` are for your own use.`,
    remedies: renamesOf(finding.path, [to]),
  };
}

function hasUsedAnchor(source: YamlSource, path: KeyPath): boolean {
  const { root } = source;
  const value = entryAt(source, path)?.value ?? null;
  if (root === null || value === null) return false;
  const anchors = new Set<string>();
  visit(value, {
    Node: (_key, node) => {
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  let isUsed = false;
  visit(root, {
    Node: (_key, node) => {
      if (isNode(node) && node === value) return visit.SKIP;
      if (isAlias(node) && anchors.has(node.source)) isUsed = true;
      return undefined;
    },
  });
  return isUsed;
}
