/** All checks, in the order of the report. */

import { afterEnd } from "./checks/afterEnd.ts";
import { answerInFeedback, answerInPrompt, answerInTools } from "./checks/answerLeaks.ts";
import {
  answerVariety,
  constantReward,
  earlyEnd,
  emptyAnswer,
  formOnly,
  hedgedAnswer,
  instructedGrader,
} from "./checks/cheats.ts";
import { farmedReward } from "./checks/farmedReward.ts";
import { isolation } from "./checks/isolation.ts";
import { load } from "./checks/load.ts";
import { malformedCalls } from "./checks/malformedCalls.ts";
import { nearOverlap } from "./checks/nearOverlap.ts";
import { promptLength } from "./checks/promptLength.ts";
import { promptText } from "./checks/promptText.ts";
import { randomCalls } from "./checks/randomCalls.ts";
import { rewardGiven } from "./checks/rewardGiven.ts";
import { rewardRange } from "./checks/rewardRange.ts";
import { rightAnswer } from "./checks/rightAnswer.ts";
import { sameAnswers } from "./checks/sameAnswers.ts";
import { samePrompt } from "./checks/samePrompt.ts";
import { secretEcho } from "./checks/secretEcho.ts";
import { sessionRelease } from "./checks/sessionRelease.ts";
import { sessionStart } from "./checks/sessionStart.ts";
import { speed } from "./checks/speed.ts";
import { splitOverlap } from "./checks/splitOverlap.ts";
import { splits } from "./checks/splits.ts";
import { stableGrader } from "./checks/stableGrader.ts";
import { taskDuplicates } from "./checks/taskDuplicates.ts";
import { toolNames } from "./checks/toolNames.ts";
import { toolSchemas } from "./checks/toolSchemas.ts";
import { unknownTool } from "./checks/unknownTool.ts";
import type { EnvironmentCheck } from "./probe/finding.ts";

export const ENVIRONMENT_CHECKS: readonly EnvironmentCheck[] = [
  // the contract
  splits,
  sessionStart,
  toolNames,
  toolSchemas,
  // tasks
  taskDuplicates,
  splitOverlap,
  nearOverlap,
  samePrompt,
  promptText,
  promptLength,
  // floor and ceiling
  randomCalls,
  rightAnswer,
  // repeatability
  sameAnswers,
  stableGrader,
  // Odd arguments could spoil what sessions share, so this comes before them.
  isolation,
  // mistakes of a model
  malformedCalls,
  unknownTool,
  afterEnd,
  // cheats
  answerInPrompt,
  answerInTools,
  answerInFeedback,
  earlyEnd,
  emptyAnswer,
  formOnly,
  instructedGrader,
  hedgedAnswer,
  answerVariety,
  farmedReward,
  constantReward,
  // rewards of all that was played
  rewardGiven,
  rewardRange,
  // many sessions
  sessionRelease,
  load,
  secretEcho,
  speed,
];
