/** Checks parameters in a map that belongs to another setting, as `loss_fn_config` belongs to `loss_fn`. */

import { nearestWords } from "../../../shared/editDistance.ts";
import { conflict, type Finding } from "../source/finding.ts";
import { removal } from "../source/remedy.ts";

export interface ParameterMap {
  /** Key of the map. */
  readonly place: string;
  /** Start of a sentence about what takes the parameters, for example "The loss `ppo`". */
  readonly owner: string;
  readonly allowed: readonly string[];
  readonly given: Readonly<Record<string, unknown>>;
}

/** A finding for each parameter that is not allowed. */
export function foreignParameters(map: ParameterMap): readonly Finding[] {
  const { place, owner, allowed, given } = map;
  const hint =
    allowed.length === 0
      ? "It takes none; remove it."
      : `It takes ${allowed.map((name) => `\`${name}\``).join(" and ")}.`;
  const free = allowed.filter((name) => !Object.hasOwn(given, name));
  return Object.keys(given)
    .filter((name) => !allowed.includes(name))
    .map((name) => {
      const path = [place, name];
      const message = `${owner} has no parameter \`${name}\`. ${hint}`;
      const renames = nearestWords(name, free).map(
        (to) => ({ kind: "rename", path, to, title: `Change to '${to}'` }) as const,
      );
      const remedies = [...renames, removal(path)];
      return conflict("TRL204", path, message, { part: "key", remedies });
    });
}
