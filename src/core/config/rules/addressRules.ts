/** Advice about addresses of services that a configuration does not use. */

import { environmentsOn } from "../fields/environmentServers.ts";
import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import { preferred, removal } from "../source/remedy.ts";

export function addressFindings(config: Config): readonly Finding[] {
  const { model_name, tinker_base_url, openreward_base_url } = config;
  const found: Finding[] = [...malformedAddresses(config)];
  if (tinker_base_url !== null && isLocalModel(model_name)) {
    const message = `\`${model_name}\` is trained by the embedded engine, so this address is not used. Remove it, or name a model that the service at this address trains.`;
    found.push(unused("tinker_base_url", message, "model_name"));
  }
  if (openreward_base_url !== null && environmentsOn(config, "shared").length === 0) {
    const message =
      "All environments are embedded (`local/…`) or have a `server` of their own, so this address is not used. Remove it, or name an environment of the server at this address.";
    found.push(unused("openreward_base_url", message, "environments"));
  }
  return found;
}

/** Texts that look like an address and are none, such as one with two ports. */
function malformedAddresses(config: Config): readonly Finding[] {
  const servers = Object.entries(config.environments).map(
    ([name, { server }]) => [["environments", name, "server", "url"], server?.url] as const,
  );
  const all = [
    [["tinker_base_url"], config.tinker_base_url] as const,
    [["openreward_base_url"], config.openreward_base_url] as const,
    ...servers,
  ];
  return all.flatMap(([path, url]) => {
    if (url == null || URL.canParse(url)) return [];
    return [
      conflict("TRL120", path, `\`${url}\` is no address. Write http://HOST:PORT or https://HOST.`),
    ];
  });
}

function unused(key: string, message: string, other: string): Finding {
  const remedies = [preferred(removal([key]))];
  return advice("TRL213", [key], message, { relatedPaths: [[other]], remedies });
}
