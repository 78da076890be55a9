/** The reward from which a run's rollouts count as successes, as recorded in its folder. */

import * as z from "zod";
import { successReward } from "../config/fields/presets.ts";
import type { FolderFiles } from "../ports.ts";
import { readResolvedConfig } from "./files/wholeFiles.ts";

const NOTHING_SET = { success_reward: null, max_reward: null };
const reward = z.number().nullable().catch(null);
const environment = z.object({ success_reward: reward, max_reward: reward }).catch(NOTHING_SET);
const resolvedConfig = z.object({ environments: z.record(z.string(), environment) });

/** Success reward by environment name. */
export type SuccessRewards = (environment: string) => number;

/** Uses the default if the folder has no readable `config.resolved.json`. */
export async function readSuccessRewards(
  fileSystem: FolderFiles,
  folder: string,
): Promise<SuccessRewards> {
  const config = resolvedConfig.safeParse(await readResolvedConfig(fileSystem, folder)).data;
  const rules = new Map(Object.entries(config?.environments ?? {}));
  return (name) => successReward(rules.get(name) ?? NOTHING_SET);
}
