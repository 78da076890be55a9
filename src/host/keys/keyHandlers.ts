/** Handlers of the commands about keys; what they do is loaded when it is first asked for. */

import type { CommandHandlers } from "../vscode/registerCommands.ts";
import type { ImportOptions } from "./importEnv.ts";
import { isKeyId, type KeyId, keyIdOf } from "./keyNames.ts";
import type { KeyStatusOptions } from "./keyStatus.ts";

/** `setApiKey` and `removeApiKey` take the id of a key or the name of its variable; `importEnv` the URI of a configuration. */
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
