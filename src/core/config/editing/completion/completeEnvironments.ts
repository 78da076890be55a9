/** Completes names of environments, their splits and their secrets, from the configuration itself and from the catalogue. */

import { formatQuantity } from "../../../../shared/format.ts";
import { stateText } from "../../../secrets/keySource.ts";
import type { Shape } from "../../fields/field.ts";
import type { EnvironmentEntry, SplitEntry } from "../catalogue/catalogue.ts";
import { findEnvironment, unknownEnvironment } from "../catalogue/catalogue.ts";
import { environmentDetail, environmentMarkdown } from "../descriptions/entryText.ts";
import { wordText } from "../text/valueText.ts";
import { type CompletionContext, type MapKey, snippetText } from "./completion.ts";

/** Environments as keys of a map whose values have the shape `of`. */
export function completeEnvironments(context: CompletionContext, of: Shape): readonly MapKey[] {
  return environmentEntries(context).map((entry) => ({
    key: entry.name,
    kind: "environment",
    detail: environmentDetail(entry),
    documentation: environmentMarkdown(entry),
    block: of.type === "list" ? listBlock(entry.splits) : environmentBlock(context, entry),
  }));
}

/** Splits of the environment that the cursor is in. */
export function completeSplits(context: CompletionContext): readonly MapKey[] {
  return splitEntries(context, context.path[1] ?? "").map(({ name, tasks }) => ({
    key: name,
    kind: "split",
    detail: tasks === null ? "" : formatQuantity(tasks, "task"),
    block: " {}$0",
  }));
}

/** Secrets that the environments in the text need, then others that are set. */
export function completeSecrets(context: CompletionContext): readonly MapKey[] {
  return secretNames(context).map(({ name, detail }) => ({
    key: name,
    kind: "secret",
    detail,
    documentation:
      "Written as null, the secret is looked up by its name and stays out of this file.",
    block: " null$0",
  }));
}

/** Environments named in the text first, then those that match the kind of its model. */
function environmentEntries({
  catalogue,
  cursor,
  path: [section],
  kind,
}: CompletionContext): readonly EnvironmentEntry[] {
  const { local, hosted } = catalogue;
  const sides = kind === "local" ? [local, hosted] : [hosted, local];
  const listed = sides.flatMap(({ environments }) => environments?.items ?? []);
  const known = new Map(listed.map((entry) => [entry.name, entry]));
  const isTraining = section === "environments";
  const named = isTraining
    ? []
    : cursor.keys
        .filter(({ path }) => path.length === 1 && path[0] === "environments")
        .map(({ key }) => known.get(key) ?? unknownEnvironment(key));
  return [...new Map([...named, ...listed].map((entry) => [entry.name, entry])).values()];
}

/** Falls back to `train` and `test` when the splits are unknown. */
export function splitEntries(
  { catalogue }: CompletionContext,
  environment: string,
): readonly SplitEntry[] {
  const known = findEnvironment(catalogue, environment)?.splits;
  return known ?? ["train", "test"].map((name) => ({ name, tasks: null }));
}

function secretNames({
  catalogue,
  cursor,
  path: [first, environment],
}: CompletionContext): readonly { readonly name: string; readonly detail: string }[] {
  const environments =
    first === "environments" && environment !== undefined
      ? [environment]
      : cursor.keys
          .filter(({ path }) => path.length === 1 && path[0] === "environments")
          .map(({ key }) => key);
  const asked = environments.flatMap((name) => findEnvironment(catalogue, name)?.secrets ?? []);
  const states = catalogue.secrets ?? [];
  const stateOf = (name: string) => states.find((state) => state.name === name.toUpperCase());
  const set = states.filter(({ origin }) => origin !== null).map(({ name }) => name);
  const names = [...new Set([...asked, ...set.filter((name) => !has(asked, name))])];
  return names.map((name) => {
    const state = stateOf(name);
    return { name, detail: state === undefined ? "" : stateText(state.origin) };
  });
}

function has(names: readonly string[], name: string): boolean {
  return names.some((other) => other.toUpperCase() === name.toUpperCase());
}

type Splits = readonly { readonly name: string }[] | null;

function listBlock(splits: Splits): string {
  const test = splits?.find(({ name }) => name !== "train")?.name ?? "test";
  return ` [\${1:${snippetText(test)}}]$0`;
}

function environmentBlock(
  { cursor, language }: CompletionContext,
  { splits }: { readonly splits: Splits },
): string {
  const name =
    splits?.find((split) => split.name === "train")?.name ?? splits?.[0]?.name ?? "train";
  const split = snippetText(wordText(name, language));
  if (language === "json") {
    return ` {"splits": {\${1:${split}}: {}}, "num_rollouts": \${2:8}, "nonterminal_reward": \${3:0}}$0`;
  }
  if (cursor.isFlow)
    return ` { splits: { \${1:${split}}: {} }, num_rollouts: \${2:8}, nonterminal_reward: \${3:0} }$0`;
  return `\n  splits:\n    \${1:${split}}: {}\n  num_rollouts: \${2:8}\n  nonterminal_reward: \${3:0}$0`;
}
