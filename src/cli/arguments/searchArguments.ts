/** Understands the words behind `search`. */

import { SEARCH_ROLES, type SearchRole } from "../../shared/search.ts";
import { numberOf } from "./argumentValues.ts";
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
  const limit = numberOf(given, "search", "limit");
  if (limit === 0) throw argumentError("--limit is 0, not at least 1", "search");
  return {
    kind: "search",
    pattern,
    paths,
    limit,
    isRegex: given.switches.has("regex"),
    isCaseSensitive: !given.switches.has("ignore-case"),
    roles: (given.values.get("role") ?? []).flatMap((names) => names.split(",")).map(roleOf),
    wantsJson: given.switches.has("json"),
  };
}

function roleOf(name: string): SearchRole {
  const role = SEARCH_ROLES.find((known) => known === name);
  if (role !== undefined) return role;
  const known = SEARCH_ROLES.join(", ");
  throw argumentError(`--role is ${JSON.stringify(name)}. It can be ${known}`, "search");
}
