/** All output formats for other programs. */

import { chatAnswersOutput, chatTurnOutput } from "./chatOutput.ts";
import {
  checkpointOutput,
  checkpointsOutput,
  downloadOutput,
  runCheckpointsOutput,
} from "./checkpointsOutput.ts";
import { environmentCheckOutput } from "./environmentCheckOutput.ts";
import { estimateOutput } from "./estimateOutput.ts";
import { evaluationsOutput } from "./evaluationsOutput.ts";
import { modelsOutput } from "./modelsOutput.ts";
import { rolloutsOutput, trajectoriesOutput } from "./rolloutsOutput.ts";
import { runOutput } from "./runOutput.ts";
import { runsOutput } from "./runsOutput.ts";
import { searchOutput } from "./searchOutput.ts";
import { statusOutput } from "./statusOutput.ts";
import { sweepOutput } from "./sweepOutput.ts";
import { validationOutput } from "./validationOutput.ts";

/** In the order of the documentation. */
export const OUTPUTS = [
  validationOutput,
  estimateOutput,
  runsOutput,
  statusOutput,
  runOutput,
  rolloutsOutput,
  trajectoriesOutput,
  evaluationsOutput,
  searchOutput,
  sweepOutput,
  chatTurnOutput,
  chatAnswersOutput,
  checkpointsOutput,
  runCheckpointsOutput,
  checkpointOutput,
  downloadOutput,
  environmentCheckOutput,
  modelsOutput,
] as const;
