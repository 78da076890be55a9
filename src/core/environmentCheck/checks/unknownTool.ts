/** A call of a tool that does not exist is answered in words. */

import { describeAnswer, isBroken } from "../probe/answer.ts";
import { type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { constantCall, stepEvidence } from "../probe/players.ts";

export const unknownTool: EnvironmentCheck = {
  id: "unknown-tool",
  rule: "A call of an unknown tool is answered in words, and the session stays usable.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const advice = "Answer that there is no such tool: models make up names.";
    return probe.session(task, async (session) => {
      const call = { tool: "no_such_tool", input: { text: "x" } };
      const answer = await session.call(call.tool, call.input);
      const evidence = stepEvidence({ task, step: { ...call, answer } });
      if (answer.kind === "failed") {
        const message = "A call of an unknown tool fails instead of being answered.";
        return found(undefined, { severity: "defect", message, evidence, advice });
      }
      if (answer.kind === "result" && ((answer.reward ?? 0) > 0 || answer.finished)) {
        const message = "A call of an unknown tool is scored or ends the episode.";
        return found(undefined, { severity: "warning", message, evidence, advice });
      }
      const [tool] = session.tools;
      const next =
        tool === undefined ? null : await session.call(tool.name, constantCall(tool, "x").input);
      if (next === null || !isBroken(next)) return found("answered in words");
      return found(undefined, {
        severity: "defect",
        message: "After a call of an unknown tool the session is not usable any more.",
        evidence: { ...evidence, numbers: `next call: ${describeAnswer(next)}` },
        advice,
      });
    });
  },
};
