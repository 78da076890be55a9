/** Understands the words behind `search`. */

import { SEARCH_ROLES, type SearchRole } from "../../shared/search.ts";
import { numberOf, oneOf } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export interface SearchCommand {
  readonly kind: "search";
  readonly pattern: string;
  /** Run folders, or folders and configurations as `runs` takes them; empty = the working directory. */
  readonly paths: readonly string[];
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  /** Empty = all. */
  readonly roles: readonly SearchRole[];
  /** Rollouts after which the search ends; null = none. */
  readonly limit: number | null;
  readonly wantsJson: boolean;
}

/** @throws AppError `bad-arguments` */
export function searchCommand(given: ParsedFlags): SearchCommand {
  const [pattern = "", ...paths] = given.positionals;
  if (pattern.trim() === "") throw argumentError("search needs a pattern", "search");
  return {
    kind: "search",
    pattern,
    paths,
    limit: numberOf(given, "search", "limit", { least: 1 }),
    isRegex: given.switches.has("regex"),
    isCaseSensitive: !given.switches.has("ignore-case"),
    roles: (given.values.get("role") ?? [])
      .flatMap((names) => names.split(","))
      .map((name) => oneOf(SEARCH_ROLES, name, "role", "search")),
    wantsJson: given.switches.has("json"),
  };
}
