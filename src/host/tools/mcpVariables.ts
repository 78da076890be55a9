/** What the MCP server gets of the editor, so that a run that it starts has the keys and addresses of a run that the editor starts. */

import { OWN_KEYS } from "../../core/secrets/keySource.ts";
import { serviceVariables } from "../../core/secrets/serviceHosts.ts";
import { HANDED_KEYS } from "../../server/mcp/handedKeys.ts";
import type { RequestedKey } from "../../shared/control.ts";
import type { Keys } from "../keys/createKeys.ts";
import { keyIdOf } from "../keys/keyNames.ts";

/** The program's own keys from the secret store, and no other secret. Those of the process are there without this. */
export async function mcpVariables({
  sources,
  variables,
}: Pick<Keys, "sources" | "variables">): Promise<Readonly<Record<string, string>>> {
  const keys: Record<string, RequestedKey> = {};
  for (const name of OWN_KEYS) {
    const id = keyIdOf(name);
    const key = id === null ? null : await sources.valueFor(id);
    if (key?.origin === "store") keys[name] = key;
  }
  return { ...serviceVariables(variables()), [HANDED_KEYS]: JSON.stringify(keys) };
}
