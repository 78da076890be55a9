/** The reward that an agent prints. */

import { AppError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import { parseJson } from "../util/jsonl.ts";

const SHOWN = 200;

/** `line` is a number, or a JSON object with the number `reward`. @throws AppError `agent-reward` */
export function readAgentReward(line: string | null, environment: string): number {
  const value = line === null ? undefined : parseJson(line)?.value;
  const reward = isJsonObject(value) ? value["reward"] : value;
  if (typeof reward === "number" && Number.isFinite(reward)) return reward;
  const said = line === null ? "It printed nothing" : `It printed: ${line.slice(0, SHOWN)}`;
  throw new AppError(
    "agent-reward",
    `The agent of ${environment} ended without a reward. ${said}. Its last line must be a number, or JSON such as {"reward": 1}.`,
    { configPath: `environments.${environment}.agent` },
  );
}
