/** Handlers of the key commands; their code is loaded on first use. */

import type { CommandHandlers } from "../vscode/registerCommands.ts";
import type { ImportOptions } from "./importEnv.ts";
import { isKeyId, type KeyId, keyIdOf } from "./keyNames.ts";
import type { KeyStatusOptions } from "./keyStatus.ts";

/** `setApiKey` and `removeApiKey` take a key id or variable name; `importEnv` takes a configuration's URI. */
export function keyHandlers(options: KeyStatusOptions & ImportOptions) {
  return {
    setApiKey: async (target) => {
      const { setKey } = await import("./setKey.ts");
      await setKey(options, idIn(target));
    },
    setOpenRewardKey: async () => {
      const { setKey } = await import("./setKey.ts");
      await setKey(options, "openreward");
    },
    removeApiKey: async (target) => {
      const { removeKey } = await import("./removeKey.ts");
      await removeKey(options, idIn(target));
    },
    importEnv: async (target) => {
      const { importEnv } = await import("./importEnv.ts");
      await importEnv(options, target);
    },
    keyStatus: async () => {
      const { keyStatus } = await import("./keyStatus.ts");
      await keyStatus(options);
    },
  } satisfies Partial<CommandHandlers>;
}

function idIn(target: unknown): KeyId | undefined {
  if (typeof target !== "string") return undefined;
  return isKeyId(target) ? target : (keyIdOf(target) ?? undefined);
}
