/** All checks, in report order. */

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
import { answerLength, images, promptLength } from "./checks/context.ts";
import { sessionStart, splits, toolNames, toolSchemas } from "./checks/contract.ts";
import { farmedReward } from "./checks/farmedReward.ts";
import { randomCalls, rightAnswer } from "./checks/floorAndCeiling.ts";
import { isolation } from "./checks/isolation.ts";
import { load, sessionRelease, speed } from "./checks/load.ts";
import { afterEnd, malformedCalls, unknownTool } from "./checks/mistakes.ts";
import { promptText, samePrompt } from "./checks/prompts.ts";
import { sameAnswers, stableGrader } from "./checks/repeatability.ts";
import { rewardGiven, rewardRange } from "./checks/rewards.ts";
import { secretEcho } from "./checks/secretEcho.ts";
import { nearOverlap, splitOverlap, taskDuplicates } from "./checks/tasks.ts";
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
  answerLength,
  images,
  // repeatability
  sameAnswers,
  stableGrader,
  // Before checks with odd arguments, which could corrupt state shared by sessions.
  isolation,
  // a model's mistakes
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
  // rewards of everything played
  rewardGiven,
  rewardRange,
  // many sessions
  sessionRelease,
  load,
  secretEcho,
  speed,
];
