/** State of the Changes view. */

import type { BehaviorReport, ChangesReport, StepRange } from "../../src/shared/changes.ts";
import type { Answer, Host } from "./host.ts";
import { type Answered, LastingQuestion } from "./lastingQuestion.ts";

export type Behavior = BehaviorReport & Answered;
export type Changes = ChangesReport & Answered;

const NO_BEHAVIOR: Behavior = { rows: [], steps: 0, progress: 0, isComplete: false, error: null };
const NO_CHANGES: Changes = {
  before: 0,
  after: 0,
  more: [],
  less: [],
  endings: [],
  progress: 0,
  isComplete: false,
  error: null,
};

export function askBehavior(host: Host): LastingQuestion<Behavior> {
  return new LastingQuestion(host, NO_BEHAVIOR, addBehavior);
}

export function askChanges(host: Host): LastingQuestion<Changes> {
  return new LastingQuestion(host, NO_CHANGES, addChanges);
}

function addBehavior(last: Behavior, answer: Answer): Behavior {
  if (answer.kind !== "behavior") return last;
  const { rows, steps, progress, isComplete } = answer;
  return { rows: [...last.rows, ...rows], steps, progress, isComplete, error: null };
}

function addChanges(last: Changes, answer: Answer): Changes {
  return answer.kind === "changes" ? { ...answer, error: null } : last;
}

/** The first and the last quarter of the steps, counted from 0; null with fewer than two steps. */
export function firstRanges(
  steps: readonly number[],
): { readonly before: StepRange; readonly after: StepRange } | null {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const quarter = Math.floor(steps.length / 4);
  const before = { from: first, to: steps[Math.max(0, quarter - 1)] ?? first };
  const after = {
    from: steps[Math.min(steps.length - 1, steps.length - quarter)] ?? last,
    to: last,
  };
  return { before, after };
}
