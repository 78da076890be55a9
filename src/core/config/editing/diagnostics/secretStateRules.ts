/** Findings about secrets that an environment asks for, or the file looks up, and that are nowhere set. */

import type { Config, EnvironmentConfig } from "../../fields/schema.ts";
import { type Finding, note } from "../../source/finding.ts";
import type { Remedy } from "../../source/remedy.ts";
import { type Catalogue, findEnvironment } from "../catalogue/catalogue.ts";

export function secretStateFindings(config: Config, catalogue: Catalogue): readonly Finding[] {
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

/** Undefined when the map has no such key, whatever its case. */
function writtenUnder(
  map: Readonly<Record<string, string | null>> | null,
  name: string,
): string | null | undefined {
  const entry = Object.entries(map ?? {}).find(([key]) => key.toUpperCase() === name.toUpperCase());
  return entry?.[1];
}
