/** Whether an agent plays: it starts, asks the model, and ends by itself. */

import { plural } from "../../shared/format.ts";
import type { CheckResult } from "../environmentCheck/checkEnvironment.ts";
import { type CheckFinding, found } from "../environmentCheck/probe/finding.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

/** A rollout of an agent whose model makes random calls. */
export type AgentPlay = Pick<RolloutRecord, "agent" | "error" | "stop"> & {
  readonly turns: number;
};

const CHECK = { id: "agent", rule: "The agent plays with a model that makes random calls." };
const SHOWN = 400;

/** The result of one more check, from a rollout. */
export function agentCheck(play: AgentPlay): CheckResult {
  const { agent, stop, turns } = play;
  const refused = agent?.refusals.length ?? 0;
  const refusals =
    refused === 0 ? "" : `; ${plural(refused, "{0} request", "{0} requests")} refused`;
  const measured = `${plural(turns, "{0} turn", "{0} turns")}, then ${stop}${refusals}`;
  return { ...CHECK, ...found(measured, finding(play)) };
}

function finding({ agent, error, stop }: AgentPlay): CheckFinding | null {
  const printed = agent?.output.trim().slice(-SHOWN) ?? "";
  const said = printed === "" ? "" : ` It printed: ${printed}`;
  if (error !== null) return defect(error);
  if (stop === "agent_failed") return defect(`The agent ended with ${agent?.exit}.${said}`);
  if (stop === "agent_timeout" || stop === "rollout_timeout") {
    return defect(`The agent did not end in time.${said}`);
  }
  return null;
}

function defect(message: string): CheckFinding {
  return {
    severity: "defect",
    message,
    evidence: {},
    advice: "Run it with env play --agent, and read what it prints.",
  };
}
