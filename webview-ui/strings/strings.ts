/** Every text of the page. The texts are translated when this loads, so what they are translated to must be known before. */

import { checkpointsStrings } from "./checkpoints.ts";
import { configStrings } from "./config.ts";
import { frameStrings } from "./frame.ts";
import { overviewStrings } from "./overview.ts";
import { replayStrings } from "./replay.ts";
import { trajectoriesStrings } from "./trajectories.ts";

export const strings = {
  ...frameStrings,
  ...overviewStrings,
  ...replayStrings,
  trajectories: trajectoriesStrings,
  checkpoints: checkpointsStrings,
  config: configStrings,
} as const;
