/** Findings that need the lists of a service; without a list there are none. */

import { nearestWords } from "../../../../shared/editDistance.ts";
import { findLineUpModel, nearestModels, retirementText } from "../../../models/lineUp.ts";
import { environmentServer } from "../../fields/environmentServers.ts";
import { isLocalModel } from "../../fields/presets.ts";
import type { Config, EnvironmentConfig } from "../../fields/schema.ts";
import { advice, conflict, type Finding, note } from "../../source/finding.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import {
  changeTo,
  preferFirst,
  preferred,
  type Remedy,
  renamesOf,
  setTo,
} from "../../source/remedy.ts";
import {
  type Catalogue,
  type EnvironmentEntry,
  findEnvironment,
  findModel,
  formatListAge,
  type Listing,
  listsFor,
  type ModelEntry,
  plainName,
} from "../catalogue/catalogue.ts";
import { checkpointFindings } from "./checkpointRules.ts";

const MAX_CHOICES = 6;

export function catalogueFindings(config: Config, catalogue: Catalogue): readonly Finding[] {
  return [
    ...modelFindings(config, catalogue),
    ...Object.entries(config.environments).flatMap(([name, { splits }]) =>
      environmentFindings(config, catalogue, ["environments", name], (entry) =>
        splitKeyFindings(name, Object.keys(splits), entry),
      ),
    ),
    ...Object.entries(config.evaluation?.splits ?? {}).flatMap(([name, splits]) =>
      environmentFindings(config, catalogue, ["evaluation", "splits", name], (entry) =>
        splitItemFindings(name, splits, entry),
      ),
    ),
    ...checkpointFindings(config, catalogue),
    ...secretStateFindings(config, catalogue),
  ];
}

/** The list of the server that this configuration uses; null when only another server's list is known. */
function listFor<Item>(
  listing: Listing<Item> | null,
  name: string,
  baseUrl: string | null,
): Listing<Item> | null {
  if (listing === null || isLocalModel(name) || listing.server === baseUrl) return listing;
  return null;
}

function environmentFindings(
  config: Config,
  catalogue: Catalogue,
  path: KeyPath,
  whenFound: (entry: EnvironmentEntry) => readonly Finding[],
): readonly Finding[] {
  const name = path.at(-1) ?? "";
  // An environment with its own server is in none of the lists.
  if (hasOwnServer(config, name)) return [];
  const { environments } = listsFor(catalogue, name);
  const list = listFor(environments, name, config.openreward_base_url);
  // A bare name is either refused elsewhere or served by the user's own server.
  if (list === null || !name.includes("/")) return [];
  const entry = findEnvironment(catalogue, name);
  if (entry !== null) return whenFound(entry);
  // The cross-field rules check embedded names.
  if (name.startsWith("local/")) return [];
  const names = list.items.map((item) => item.name);
  if (!list.isComplete) return caseFindings(path, plainName(name), names);
  const near = nearestWords(plainName(name), names);
  const hint = near.length === 0 ? "Check the name." : `Did you mean \`${near[0]}\`?`;
  const message = `The environment \`${name}\` is not in the list (${formatListAge(list.ageMs)}). ${hint}`;
  return [conflict("TRL300", path, message, { part: "key", remedies: renamesOf(path, near) })];
}

/** A name missing from a partial list may exist, but hardly when the list has the same name in different case. */
function caseFindings(path: KeyPath, name: string, names: readonly string[]): readonly Finding[] {
  const near = names.filter((other) => other.toLowerCase() === name.toLowerCase());
  if (near.length === 0) return [];
  const message = `Names at OpenReward are case-sensitive, and the list has \`${near[0]}\`.`;
  return [advice("TRL300", path, message, { part: "key", remedies: renamesOf(path, near) })];
}

function hasOwnServer(config: Config, name: string): boolean {
  const { kind } = environmentServer(config, name);
  return kind === "address" || kind === "command";
}

function splitKeyFindings(
  name: string,
  splits: readonly string[],
  { splits: offered }: EnvironmentEntry,
): readonly Finding[] {
  if (offered === null) return [];
  const names = offered.map((split) => split.name);
  return splits
    .filter((split) => !names.includes(split))
    .map((split) => {
      const path = ["environments", name, "splits", split];
      const free = names.filter((other) => !splits.includes(other));
      const remedies = renamesOf(path, nearestFirst(split, free));
      return conflict("TRL301", path, splitMessage(name, split, names), { part: "key", remedies });
    });
}

function splitItemFindings(
  name: string,
  splits: readonly string[],
  { splits: offered }: EnvironmentEntry,
): readonly Finding[] {
  if (offered === null) return [];
  const names = offered.map((split) => split.name);
  return splits.flatMap((split, index) => {
    if (names.includes(split)) return [];
    const path = ["evaluation", "splits", name, String(index)];
    const free = names.filter((other) => !splits.includes(other));
    const remedies = nearestFirst(split, free).map((word) => changeTo(path, word));
    return [conflict("TRL301", path, splitMessage(name, split, names), { remedies })];
  });
}

function splitMessage(name: string, split: string, names: readonly string[]): string {
  const offered = names.slice(0, MAX_CHOICES).map((other) => `\`${other}\``);
  const list = offered.length === 0 ? "none" : offered.join(", ");
  return `\`${name}\` has no split \`${split}\`; it has ${list}.`;
}

/** The models of the server that this configuration uses; null when unknown. */
export function modelList(config: Config, catalogue: Catalogue): Listing<ModelEntry> | null {
  const { model_name: name, tinker_base_url: server } = config;
  return listFor(listsFor(catalogue, name).models, name, server);
}

function modelFindings(config: Config, catalogue: Catalogue): readonly Finding[] {
  const { model_name: name } = config;
  const list = modelList(config, catalogue);
  if (list === null) return [];
  const model = findModel(catalogue, name);
  if (model === null) return list.isComplete ? [unknownModel(name, list)] : [];
  return [
    ...rankFindings(config, model.maxRank),
    ...contextFindings(config, name, model.contextTokens),
  ];
}

function unknownModel(name: string, { items, ageMs }: Listing<{ readonly name: string }>): Finding {
  const names = items.map((item) => item.name);
  const retired = findLineUpModel(name)?.retired ?? null;
  const instead = names.filter((other) => other === retired?.instead);
  const near = retired === null ? nearestModels(name, names) : instead;
  const choices = nearestFirst(name, names, near);
  const offered = `It offers ${choices.map((choice) => `\`${choice}\``).join(", ")}.`;
  const suggestion = near.length > 0 ? `Did you mean \`${near[0]}\`?` : offered;
  const hint = retired === null ? suggestion : retirementText(name, retired);
  // The list of embedded models never gets old.
  const age = ageMs === 0 ? "" : ` (list ${formatListAge(ageMs)})`;
  const fault = isLocalModel(name)
    ? `There is no embedded model \`${name}\``
    : `The service does not train \`${name}\``;
  const message = `${fault}${age}. ${hint}`;
  const changes = choices.map((choice) => changeTo(["model_name"], choice));
  const remedies = near.length > 0 ? preferFirst(changes) : changes;
  return conflict("TRL302", ["model_name"], message, { remedies });
}

function rankFindings(config: Config, maxRank: number | null): readonly Finding[] {
  if (maxRank === null || config.lora_rank <= maxRank) return [];
  const path = ["lora_rank"];
  const message = `The LoRA rank of \`${config.model_name}\` is at most ${maxRank}.`;
  const remedies = [preferred(setTo(path, maxRank, `Set to ${maxRank} (maximum)`))];
  return [conflict("TRL302", path, message, { relatedPaths: [["model_name"]], remedies })];
}

function contextFindings(
  { max_total_tokens }: Config,
  model: string,
  contextTokens: number | null,
): readonly Finding[] {
  if (contextTokens === null || max_total_tokens <= contextTokens) return [];
  const path = ["max_total_tokens"];
  const message = `The context of \`${model}\` is ${contextTokens} tokens; longer rollouts end there.`;
  const remedies = [preferred(setTo(path, contextTokens))];
  return [advice("TRL202", path, message, { relatedPaths: [["model_name"]], remedies })];
}

/** The first few words, with those similar to `word` in front. */
function nearestFirst(
  word: string,
  words: readonly string[],
  near = nearestWords(word, words),
): readonly string[] {
  return [...new Set([...near, ...words])].slice(0, MAX_CHOICES);
}

function secretStateFindings(config: Config, catalogue: Catalogue): readonly Finding[] {
  return Object.entries(config.environments).flatMap(([name, own]) => {
    const asked = findEnvironment(catalogue, name)?.secrets ?? [];
    return asked.flatMap((secret) => findingAbout(config, catalogue, name, own, secret));
  });
}

function findingAbout(
  config: Config,
  { secrets: states }: Catalogue,
  name: string,
  own: EnvironmentConfig,
  secret: string,
): readonly Finding[] {
  const path = ["environments", name];
  const ownValue = writtenUnder(own.secrets, secret);
  const written = ownValue === undefined ? writtenUnder(config.secrets, secret) : ownValue;
  if (typeof written === "string") return [];
  const isMissing = states?.find((state) => state.name === secret.toUpperCase())?.origin === null;
  const set: Remedy = {
    kind: "command",
    command: "setSecret",
    path: [secret.toUpperCase()],
    title: "Set API Key…",
    isPreferred: true,
  };
  if (written === undefined) {
    const message = `\`${name}\` needs the secret \`${secret}\`. Add it under \`secrets\` as null, so that it is looked up.`;
    const place = [...path, "secrets", secret];
    const add: Remedy = { kind: "set", path: place, value: null, title: `Add secrets: ${secret}` };
    const remedies = isMissing ? [add, set] : [add];
    return [note("TRL304", path, message, { part: "key", remedies })];
  }
  if (!isMissing) return [];
  const message = `\`${name}\` needs the secret \`${secret}\`, which is not set.`;
  return [note("TRL304", path, message, { part: "key", remedies: [set] })];
}

/** Looks up a name case-insensitively; undefined when the map does not have it. */
function writtenUnder(
  map: Readonly<Record<string, string | null>> | null,
  name: string,
): string | null | undefined {
  const entry = Object.entries(map ?? {}).find(([key]) => key.toUpperCase() === name.toUpperCase());
  return entry?.[1];
}
