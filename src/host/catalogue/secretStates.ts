/** Which source would provide each secret that configurations refer to; never the values. */

import { dirname } from "node:path";
import type { SecretState } from "../../core/config/editing/catalogue/catalogue.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { type KeyId, keyIdOf, variableOf } from "../keys/keyNames.ts";
import type { KeySources } from "../keys/keySources.ts";
import type { KeyFacts } from "../keys/keyStore.ts";

export interface SecretStateOptions {
  readonly stored: () => Promise<readonly Pick<KeyFacts, "id">[]>;
  readonly sources: Pick<KeySources, "find">;
}

/** The `.env` next to it applies. */
export interface ConfigText {
  readonly text: string;
  readonly path: string;
}

/** States of Tinker's key, of stored secrets, of those that `configs` look up, and of `asked`: names that environments require. */
export async function secretStates(
  { stored, sources }: SecretStateOptions,
  configs: readonly ConfigText[],
  asked: readonly string[],
): Promise<readonly SecretState[]> {
  const named = [...configs.flatMap(lookedUp), ...asked].map(keyIdOf);
  const ids = new Set<KeyId>([
    "tinker",
    ...(await stored()).map(({ id }) => id),
    ...named.filter((id) => id !== null),
  ]);
  const folders = [...new Set(configs.map(({ path }) => dirname(path)))];
  return Promise.all(
    [...ids].map(async (id) => ({
      name: variableOf(id),
      origin: await sources.find(id, folders),
    })),
  );
}

function lookedUp({ text, path }: ConfigText): readonly string[] {
  const parsed = parseConfig(text, { path });
  if (!parsed.ok) return [];
  const { secrets, environments } = parsed.config;
  const maps = [secrets, ...Object.values(environments).map((own) => own.secrets)];
  return maps.flatMap((map) => Object.keys(map ?? {}));
}
