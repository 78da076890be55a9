/** Handlers of the key commands. */

import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { type ImportOptions, importEnv } from "./importEnv.ts";
import { isKeyId, type KeyId, keyIdOf } from "./keyNames.ts";
import { type KeyStatusOptions, keyStatus } from "./keyStatus.ts";
import { removeKey } from "./removeKey.ts";
import { setKey } from "./setKey.ts";

/** `setApiKey` and `removeApiKey` take a key id or variable name; `importEnv` takes a configuration's URI. */
export function keyHandlers(options: KeyStatusOptions & ImportOptions) {
  return {
    setApiKey: (target) => setKey(options, idIn(target)),
    setOpenRewardKey: () => setKey(options, "openreward"),
    removeApiKey: (target) => removeKey(options, idIn(target)),
    importEnv: (target) => importEnv(options, target),
    keyStatus: () => keyStatus(options),
  } satisfies Partial<CommandHandlers>;
}

function idIn(target: unknown): KeyId | undefined {
  if (typeof target !== "string") return undefined;
  return isKeyId(target) ? target : (keyIdOf(target) ?? undefined);
}
