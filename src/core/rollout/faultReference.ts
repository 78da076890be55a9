/** Renders the fault table for the reference. */

import { FAULT_RULES, type FaultCause, type FaultReaction } from "./faults.ts";

const CAUSES: Readonly<Record<FaultCause, string>> = {
  policy: "the policy",
  environment: "the environment",
  service: "the model's service",
  configuration: "the configuration",
  program: "this program",
};

const REACTIONS: Readonly<Record<FaultReaction, string>> = {
  outcome: "ends with its rewards and `nonterminal_reward`",
  retry: "restarts with the same seeds, up to `max_rollout_retries` times, then fails",
  wait: "waits and restarts; uses no retry",
  fail: "fails",
  "end-run": "ends the run",
};

export function faultReference(): string {
  const rows = FAULT_RULES.map(({ what, cause, reaction, stops = [] }) => {
    const recorded = stops.map((stop) => `\`${stop}\``).join(", ");
    return `| ${what} | ${CAUSES[cause]} | ${REACTIONS[reaction]} | ${recorded} |`;
  });
  return [
    "| What happens | Cause | The rollout | Stop reason |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}
