/** What the settings say about keys and the services they are for. */

import { addressVariables } from "./addressVariables.ts";
import type { KeySettings } from "./keys/createKeys.ts";
import { readSetting } from "./settings.ts";

export const keySettings: KeySettings = {
  envFile: (folder) => readSetting("env.file", folder),
  envRead: () => readSetting("env.read"),
  variables: addressVariables,
};
