/** How a run reports what it found out about its server. */

import { isLocalModel } from "../../config/fields/presets.ts";
import type { JsonObject } from "../../json.ts";
import { withoutEnd } from "../../util/textEdges.ts";
import type { RunContext } from "../run/context.ts";
import { report } from "../run/report.ts";

export type CheckContext = Pick<RunContext, "config" | "services" | "reporting">;

/** An event, and a line on the screen, but for the embedded engine when all is well. @throws AppError `disk` */
export async function reportServerCheck(
  context: CheckContext,
  step: number,
  level: "info" | "warn",
  message: string,
  data: JsonObject = {},
): Promise<void> {
  const event = { step, level, kind: "server-probed", message, data };
  const isShown = level === "warn" || !isLocalModel(context.config.model_name);
  await (isShown ? report(context.reporting, event) : context.reporting.events.record(event));
}

/** Says that the server is trusted, where the configuration says so. @throws AppError `disk` */
export async function reportSkippedProbe(context: CheckContext, step: number): Promise<void> {
  const { loss_fn } = context.config;
  const message = `probe_server is false, so the run does not check that ${serverName(context, "the")} computes loss_fn: ${loss_fn} as documented.`;
  await reportServerCheck(context, step, "info", message, { loss_fn });
}

/** For the beginning of a sentence unless `article` is "the". */
export function serverName(
  { config, services }: CheckContext,
  article: "The" | "the" = "The",
): string {
  return isLocalModel(config.model_name)
    ? `${article} embedded engine`
    : `${article} server at ${services.service.address}`;
}

/** Text without a full stop, to stand within a sentence. */
export function asClause(words: string): string {
  return withoutEnd(words.replace(/\s+/g, " "), /[.\s]/);
}
