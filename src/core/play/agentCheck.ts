/** Checks that an agent works: it starts, calls the model, and ends on its own. */

import { plural } from "../../shared/format.ts";
import type { CheckResult } from "../environmentCheck/checkEnvironment.ts";
import { type CheckFinding, found } from "../environmentCheck/probe/finding.ts";
import type { AppError } from "../errors.ts";
import { agentFailure } from "../rollout/agentFailure.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

/** A rollout of an agent with a model that makes random calls. */
export type AgentPlay = Pick<RolloutRecord, "agent" | "error" | "stop"> & {
  readonly turns: number;
};

const CHECK = { id: "agent", rule: "The agent plays with a model that makes random calls." };

/** Result of an additional check, based on a rollout. */
export function agentCheck(play: AgentPlay): CheckResult {
  const { agent, stop, turns } = play;
  const refused = agent?.refusals.length ?? 0;
  const refusals =
    refused === 0 ? "" : `; ${plural(refused, "{0} request", "{0} requests")} refused`;
  const measured = `${plural(turns, "{0} turn", "{0} turns")}, then ${stop}${refusals}`;
  return { ...CHECK, ...found(measured, finding(play)) };
}

function finding(play: AgentPlay): CheckFinding | null {
  const message = play.error ?? agentFailure(play);
  if (message === null) return null;
  return {
    severity: "defect",
    message,
    evidence: {},
    advice: "Run it with env play --agent, and read what it prints.",
  };
}

/** Result if the agent's program cannot be started. */
export function agentNotStarted(error: AppError): CheckResult {
  const advice = "Correct the command, and see that the program is installed.";
  const finding: CheckFinding = {
    severity: "defect",
    message: error.message,
    evidence: {},
    advice,
  };
  return { ...CHECK, ...found("not started", finding) };
}
