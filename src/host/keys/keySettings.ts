/** What the settings say about keys and the services they are for. */

import { addressVariables } from "../vscode/addressVariables.ts";
import { readSetting } from "../vscode/settings.ts";
import type { KeySettings } from "./createKeys.ts";

export const keySettings: KeySettings = {
  envFile: (folder) => readSetting("env.file", folder),
  envRead: () => readSetting("env.read"),
  variables: addressVariables,
};
