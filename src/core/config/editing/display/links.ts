/** Links in a configuration: pages of environments, checkpoints and folders. */

import { isScalar } from "yaml";
import { environmentPage } from "../../../services.ts";
import { isLocalModel } from "../../fields/presets.ts";
import { isWeightsPath, runAtStep } from "../../rules/namedWeights.ts";
import { referencedStage } from "../../rules/stageRules.ts";
import { type KeyPath, withoutStage } from "../../source/keyPath.ts";
import type { Span } from "../../source/span.ts";
import { scalarText } from "../../source/yamlNodes.ts";
import { languageOf, readYaml } from "../../source/yamlSource.ts";
import {
  type Catalogue,
  EMPTY_CATALOGUE,
  findEnvironment,
  plainName,
} from "../catalogue/catalogue.ts";
import { allPairs } from "../text/nodeAt.ts";
import type { Pair } from "../text/yamlPairs.ts";

export type LinkTarget =
  /** An https URL. */
  | { readonly kind: "page"; readonly url: string }
  /** An environment without a web page. */
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "checkpoint"; readonly path: string }
  /** As written; a relative path starts at the configuration's folder. */
  | { readonly kind: "folder"; readonly path: string };

export interface ConfigLink {
  readonly span: Span;
  readonly target: LinkTarget;
}

export interface LinkOptions {
  readonly path: string;
  readonly catalogue?: Catalogue;
}

/** In text order. Never throws. */
export function links(
  text: string,
  { path, catalogue = EMPTY_CATALOGUE }: LinkOptions,
): readonly ConfigLink[] {
  const source = readYaml(text, languageOf(path));
  return allPairs(source).flatMap(({ path: place, pair }) => linkOf(place, pair, catalogue));
}

function linkOf(place: KeyPath, pair: Pair, catalogue: Catalogue): readonly ConfigLink[] {
  const path = withoutStage(place);
  const isEnvironment = path.length === 2 && path[0] === "environments";
  const isEvaluated = path.length === 3 && path[0] === "evaluation" && path[1] === "splits";
  if (isEnvironment || isEvaluated) {
    const target = environmentTarget(pair.key, catalogue);
    return target === null ? [] : [{ span: pair.keySpan, target }];
  }
  const target = valueTarget(path, pair);
  return target === null || pair.valueSpan === null ? [] : [{ span: pair.valueSpan, target }];
}

function environmentTarget(name: string, catalogue: Catalogue): LinkTarget | null {
  const page = findEnvironment(catalogue, name)?.page ?? null;
  if (page?.startsWith("https://")) return { kind: "page", url: page };
  if (isLocalModel(name)) return { kind: "environment", name };
  const url = environmentPage(plainName(name));
  return url === null ? null : { kind: "page", url };
}

/** Values that are no folders. */
const WORDS: ReadonlySet<string> = new Set(["auto", "base", "init"]);

function valueTarget(path: KeyPath, { value }: Pair): LinkTarget | null {
  if (!isScalar(value) || typeof value.value !== "string" || value.value === "") return null;
  const text = scalarText(value.value, value.source);
  const [key] = path;
  if (path.length === 1 && key === "log_path") return { kind: "folder", path: text };
  const isResumed = path.length === 1 && key === "resume_from";
  if (!isResumed && !isWeightsPath(path)) return null;
  if (text.startsWith("tinker://")) return { kind: "checkpoint", path: text };
  if (WORDS.has(text) || referencedStage(text) !== null) return null;
  return { kind: "folder", path: runAtStep(text)?.folder ?? text };
}
