/** Sessions and calls are fast enough to train on. */

import { percentile } from "../../util/stats.ts";
import { describeCall } from "../probe/answer.ts";
import { type CheckFinding, type EnvironmentCheck, found } from "../probe/finding.ts";
import { playedSteps, randomPlays } from "../probe/players.ts";
import { taskName } from "../probe/probe.ts";

export const speed: EnvironmentCheck = {
  id: "speed",
  rule: "Sessions open and calls return in seconds.",
  async run(probe) {
    await randomPlays(probe);
    const { slowCallMs, slowOpenMs } = probe.limits;
    const calls = playedSteps(probe).filter(
      ({ step }) => step.answer.kind !== "failed" || isTimeout(step),
    );
    const callTimes = calls.map(({ step }) => step.answer.ms);
    const openTimes = probe.plays.map(({ openMs }) => openMs);
    const slowest = calls.toSorted((a, b) => b.step.answer.ms - a.step.answer.ms)[0];
    const slowOpen = probe.plays.toSorted((a, b) => b.openMs - a.openMs)[0];
    const findings: (CheckFinding | null)[] = [
      slowest === undefined || slowest.step.answer.ms < slowCallMs
        ? null
        : {
            severity: isTimeout(slowest.step) ? "defect" : "warning",
            message: isTimeout(slowest.step)
              ? `A call did not return within ${seconds(probe.limits.callMs)}.`
              : `A call took ${seconds(slowest.step.answer.ms)}.`,
            evidence: {
              task: taskName(slowest.task),
              call: describeCall(slowest.step),
              numbers: summary(callTimes),
            },
            advice:
              "A step waits for its slowest rollout. Make the call faster, or set tool_timeout.",
          },
      slowOpen === undefined || slowOpen.openMs < slowOpenMs
        ? null
        : {
            severity: "warning",
            message: `A session took ${seconds(slowOpen.openMs)} to open.`,
            evidence: { task: taskName(slowOpen.task), numbers: summary(openTimes) },
            advice: "Prepare what all sessions share once, when the server starts.",
          },
    ];
    return found(`calls: ${summary(callTimes)}; sessions: ${summary(openTimes)}`, ...findings);
  },
};

function isTimeout({ answer }: { readonly answer: { readonly kind: string } }): boolean {
  return "failure" in answer && answer.failure === "timeout";
}

function summary(times: readonly number[]): string {
  if (times.length === 0) return "none";
  const median = percentile(times, 0.5) ?? 0;
  return `median ${seconds(median)}, longest ${seconds(Math.max(...times))}`;
}

function seconds(ms: number): string {
  return ms < 10
    ? `${ms.toFixed(1)} ms`
    : ms < 1000
      ? `${Math.round(ms)} ms`
      : `${(ms / 1000).toFixed(1)} s`;
}
