/** Reports what a run learned about its server. */

import { isLocalModel } from "../../config/fields/presets.ts";
import type { JsonObject } from "../../json.ts";
import { withoutEnd } from "../../util/textEdges.ts";
import type { RunContext } from "../run/context.ts";
import { report } from "../run/report.ts";

export type CheckContext = Pick<RunContext, "config" | "services" | "reporting">;

/** Records an event and shows a line, except for good news about the embedded engine. @throws AppError `disk` */
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

/** Reports that the server is trusted without a check, as configured. @throws AppError `disk` */
export async function reportSkippedProbe(context: CheckContext, step: number): Promise<void> {
  const { loss_fn } = context.config;
  const message = `probe_server is false, so the run does not check that ${serverName(context, "the")} computes loss_fn: ${loss_fn} as documented.`;
  await reportServerCheck(context, step, "info", message, { loss_fn });
}

/** Name of the server for the start of a sentence, or with `the` for the middle of one. */
export function serverName(
  { config, services }: CheckContext,
  article: "The" | "the" = "The",
): string {
  return isLocalModel(config.model_name)
    ? `${article} embedded engine`
    : `${article} server at ${services.service.address}`;
}

/** Text without its final period, for use within a sentence. */
export function asClause(words: string): string {
  return withoutEnd(words.replace(/\s+/g, " "), /[.\s]/);
}
