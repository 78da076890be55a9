/** Rules about the agents that play environments. */

import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import { preferred, removal } from "../source/remedy.ts";

export function agentFindings(config: Config): readonly Finding[] {
  return Object.entries(config.environments).flatMap(([name, { agent, teacher }]) => {
    if (agent === null) return [];
    const path = ["environments", name, "agent"];
    const found: Finding[] = [];
    const isOwn = teacher !== null;
    if (((teacher ?? config.teacher)?.context ?? null) !== null) {
      const context = [...(isOwn ? ["environments", name] : []), "teacher", "context"];
      const message =
        "A teacher of an agent reads what the agent writes, so it has no `context`. Remove it, or remove `agent`.";
      const remedies = [preferred(removal(context))];
      found.push(conflict("TRL231", context, message, { relatedPaths: [path], remedies }));
    }
    if (agent.reward_command !== null && agent.reward === "output") {
      const own = [...path, "reward"];
      const message = "`reward_command` takes the place of `reward`.";
      const remedies = [removal(own)];
      const related = [[...path, "reward_command"]];
      found.push(advice("TRL231", own, message, { relatedPaths: related, remedies }));
    }
    return found;
  });
}
