/** Advice about addresses of services that a configuration does not use. */

import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, type Finding } from "../source/finding.ts";

export function addressFindings(config: Config): readonly Finding[] {
  const { model_name, environments, evaluation, tinker_base_url, openreward_base_url } = config;
  const found: Finding[] = [];
  if (tinker_base_url !== null && isLocalModel(model_name)) {
    const message = `\`${model_name}\` is trained by the embedded engine, so this address is not used. Remove it, or name a model that the service at this address trains.`;
    found.push(unused("tinker_base_url", message, [["model_name"]]));
  }
  const names = [...Object.keys(environments), ...Object.keys(evaluation?.splits ?? {})];
  if (openreward_base_url !== null && names.every((name) => name.startsWith("local/"))) {
    const message =
      "All environments are embedded (`local/…`), so this address is not used. Remove it, or name an environment of the server at this address.";
    found.push(unused("openreward_base_url", message, [["environments"]]));
  }
  return found;
}

function unused(
  key: string,
  message: string,
  relatedPaths: readonly (readonly string[])[],
): Finding {
  const path = [key];
  const remedies = [{ kind: "remove", path, title: `Remove '${key}'`, isPreferred: true }] as const;
  return advice("TRL213", path, message, { relatedPaths, remedies });
}
