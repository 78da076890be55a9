/** What the settings say about keys and the services they are for. */

import type { KeySettings } from "./keys/createKeys.ts";
import { readSetting } from "./settings.ts";

export const keySettings: KeySettings = {
  envFile: (folder) => readSetting("env.file", folder),
  envRead: () => readSetting("env.read"),
  address: (service) => {
    if (service === "tinker") return readSetting("tinker.baseUrl");
    return service === "openreward" ? readSetting("openReward.environmentsUrl") : "";
  },
};
