/** Before the first update of an attempt: does the service compute the loss that the configuration names? */

import { AppError } from "../errors.ts";
import { NORMALIZATION_WORDS } from "../serverChecks/normalizations.ts";
import { PROBE_TEXT } from "../serverChecks/probeData.ts";
import { type LossFinding, probeLoss } from "../serverChecks/probeLoss.ts";
import type { RunContext } from "./context.ts";
import {
  asClause,
  type ReportContext,
  reportServerCheck,
  serverName,
} from "./reportServerCheck.ts";

type CheckingContext = ReportContext & Pick<RunContext, "client" | "tokenizer">;
type Finding<Kind extends LossFinding["kind"]> = Extract<LossFinding, { kind: Kind }>;

/**
 * Trains nothing. Writes the finding as an event, and prints a line unless the embedded engine behaves as documented.
 * @throws AppError `loss-not-offered` and `loss-not-honoured`, with the numbers; `tinker-*`
 */
export async function checkLoss(context: CheckingContext, step: number): Promise<void> {
  const { client, config, tokenizer } = context;
  const finding = await probeLoss(client, tokenizer.encodeText(PROBE_TEXT), config);
  switch (finding.kind) {
    case "matches":
      return await reportMatch(context, step, finding);
    case "unreported":
      return await reportServerCheck(
        context,
        step,
        "info",
        unchecked(context, "it reports no loss"),
      );
    case "refused":
      return await reportServerCheck(context, step, "info", unchecked(context, finding.words));
    case "not-offered":
      throw notOffered(context, finding);
    case "other":
      // Only a number that fits another loss ends the run: a server may report the right loss in an unknown way.
      if (finding.fits !== null) throw mismatch(context, finding, finding.fits);
      return await reportServerCheck(context, step, "warn", unknownNumber(context, finding));
  }
}

async function reportMatch(
  context: ReportContext,
  step: number,
  { source, given, expected, normalization, isCertain }: Finding<"matches">,
): Promise<void> {
  const { loss_fn } = context.config;
  const data = { loss_fn, source, given, expected, normalization };
  const who = serverName(context);
  if (!isCertain) {
    const message = `${who} computes loss_fn: ${loss_fn}, or another loss that is the same for the probe (${source}).`;
    return await reportServerCheck(context, step, "info", message, data);
  }
  const how = normalization === null ? "; how it adds tokens up is not told" : "";
  const message = `${who} computes loss_fn: ${loss_fn} as documented (${source})${how}.`;
  await reportServerCheck(context, step, "info", message, data);
  if (normalization === null || normalization === "token_sum") return;
  const differs = `${who} reports the loss as the ${NORMALIZATION_WORDS[normalization]} (${source}), where Tinker's is the sum over tokens. If its gradients are scaled alike, grad_clip_norm and learning_rate act on another scale than on the hosted service.`;
  await reportServerCheck(context, step, "warn", differs, { normalization });
}

function unchecked(context: ReportContext, why: string): string {
  return `Whether ${serverName(context, "the")} computes loss_fn: ${context.config.loss_fn} could not be checked: ${asClause(why)}.`;
}

function notOffered(context: ReportContext, { words, offered }: Finding<"not-offered">): AppError {
  const { loss_fn: loss } = context.config;
  return new AppError(
    "loss-not-offered",
    `loss_fn: ${serverName(context, "the")} does not take ${loss} (${asClause(words)}). It takes ${offered.join(", ")}: set loss_fn to one of them.`,
    { configPath: "loss_fn", data: { offered } },
  );
}

function mismatch(context: ReportContext, finding: Finding<"other">, fits: string): AppError {
  const { loss_fn: loss } = context.config;
  const { source, given, expected } = finding;
  return new AppError(
    "loss-differs",
    `loss_fn: ${serverName(context, "the")} does not compute ${loss} as documented: ${numbers(loss, finding)} That number is what ${fits} gives. Set loss_fn to a loss that it computes or repair the server; probe_server: false trains with it unchecked.`,
    { configPath: "loss_fn", data: { source, given, expected, fits } },
  );
}

function unknownNumber(context: ReportContext, finding: Finding<"other">): string {
  const { loss_fn: loss } = context.config;
  return `${unchecked(context, `${numbers(loss, finding)} No loss known here gives that number`)} The run goes on: compare optim/kl_sample_train_v2 and the reward of the first steps with what you expect, or set another loss_fn.`;
}

function numbers(loss: string, { source, given, expected }: Finding<"other">): string {
  return `for a probe its ${source} is ${shown(given)}, where ${loss} gives ${shown(expected)} as the sum over tokens.`;
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}
