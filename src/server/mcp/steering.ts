/** Which settings of a live run an assistant may change. */

import * as z from "zod";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { applyOverrides } from "../../core/config/overrides.ts";
import { AppError } from "../../core/errors.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import type { ListedRun } from "../../core/runs/runList.ts";
import { requirePlainSettings } from "./judgeConfig.ts";
import type { McpWorkspace } from "./mcpWorkspace.ts";

const resolved = z.looseObject({ model_name: z.string(), max_cost_usd: z.number().nullish() });

/** Requires a budget, because without one an assistant could cause unlimited cost. @throws AppError `not-allowed` */
export async function requireSteerable(
  workspace: McpWorkspace,
  { folder }: Pick<ListedRun, "folder">,
  settings: readonly string[],
): Promise<void> {
  const stored = await readResolvedConfig(workspace.filesOf(folder), folder);
  const config = resolved.safeParse(stored).data;
  if (config === undefined) {
    throw new AppError(
      "not-allowed",
      "The settings of this run cannot be read. Ask the user to check config.resolved.json in its folder.",
    );
  }
  if (!isLocalModel(config.model_name) && config.max_cost_usd == null) {
    throw new AppError(
      "not-allowed",
      "This run has no max_cost_usd, so other settings could make it cost any amount. Ask the user to change them.",
    );
  }
  const { applied, problems } = applyOverrides(config, settings);
  const [problem] = problems;
  if (problem !== undefined) throw new AppError("bad-arguments", problem.message);
  requirePlainSettings(
    applied.map((each) => each.path),
    true,
  );
}
