/** What the editor passes to the MCP server, so that runs it starts have the same keys and addresses as runs started by the editor. */

import { OWN_KEYS } from "../../core/secrets/keySource.ts";
import { serviceVariables } from "../../core/secrets/serviceHosts.ts";
import { HANDED_KEYS } from "../../server/mcp/handedKeys.ts";
import type { RequestedKey } from "../../shared/control.ts";
import type { Keys } from "../keys/createKeys.ts";
import { keyIdOf } from "../keys/keyNames.ts";

/** Only the program's own keys from the secret store; keys in the process environment are inherited anyway. */
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
