/** Names that a configuration can use, from its own text and from the catalogue. */

import { stateText } from "../../../secrets/keySource.ts";
import type { EnvironmentEntry, SplitEntry } from "../catalogue/catalogue.ts";
import { findEnvironment, unknownEnvironment } from "../catalogue/catalogue.ts";
import type { CompletionContext } from "./completion.ts";

/** Environments named in the text first, then those that match the kind of its model. */
export function environmentEntries({
  catalogue,
  cursor,
  kind,
}: CompletionContext): readonly EnvironmentEntry[] {
  const { local, hosted } = catalogue;
  const sides = kind === "local" ? [local, hosted] : [hosted, local];
  const listed = sides.flatMap(({ environments }) => environments?.items ?? []);
  const known = new Map(listed.map((entry) => [entry.name, entry]));
  const isTraining = cursor.path[0] === "environments";
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

/** Secrets that the environments in the text need, then others that are set. */
export function secretNames({
  catalogue,
  cursor,
}: CompletionContext): readonly { readonly name: string; readonly detail: string }[] {
  const [first, environment] = cursor.path;
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
