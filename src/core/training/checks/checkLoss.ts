/** Checks before the first update of an attempt whether the service computes the configured loss. */

import { AppError } from "../../errors.ts";
import { areUsable, Ledger } from "../../rollout/ledger.ts";
import { NORMALIZATION_WORDS } from "../../serverChecks/normalizations.ts";
import { PROBE_TEXT, probeData } from "../../serverChecks/probeData.ts";
import { type LossFinding, probeLoss, refusedLoss } from "../../serverChecks/probeLoss.ts";
import { answerOrRefusal } from "../../serverChecks/refusal.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { RunContext } from "../run/context.ts";
import { buildDatum, toWireDatum } from "../update/datums.ts";
import { asClause, type CheckContext, reportServerCheck, serverName } from "./reportServerCheck.ts";

type Finding<Kind extends LossFinding["kind"]> = Extract<LossFinding, { kind: Kind }>;

/**
 * Trains nothing. Records the finding as an event, and prints a line unless the embedded engine behaves as documented. Does nothing for
 * `stable_reinforce`, see {@link checkRecordedLoss}.
 * @throws AppError `loss-not-offered` and `loss-differs`, with the numbers; `tinker-*`
 */
export async function checkLoss(context: CheckContext, step: number): Promise<void> {
  const { config, services } = context;
  const { loss_fn: loss, loss_fn_config } = config;
  if (loss === "stable_reinforce") return;
  const tokens = services.chat.tokenizer.encodeText(PROBE_TEXT);
  const finding = await probeLoss(services.client, tokens, { loss_fn: loss, loss_fn_config });
  await reportFinding(context, step, finding);
}

/**
 * Checks for `stable_reinforce`, whose formula is not published, only that the service takes a sample which it recorded; does nothing
 * for other losses. @throws AppError `loss-not-offered`; `tinker-*`
 */
export async function checkRecordedLoss(
  context: CheckContext & Pick<RunContext, "control">,
  sampler: SamplingClient,
  step: number,
): Promise<void> {
  const { config, control, services } = context;
  const { loss_fn: loss } = config;
  if (loss !== "stable_reinforce") return;
  const tokens = services.chat.tokenizer.encodeText(PROBE_TEXT);
  const forward = async () => {
    const sampling = { maxTokens: 8, temperature: 1, topK: -1, topP: 1, stop: [] };
    const request = { prompt: tokens, ...sampling, recordsStability: true };
    const sampled = await sampler.sample(request, { signal: control.signal });
    const ledger = new Ledger(tokens);
    const { tokens: own, logprobs, sequenceId } = sampled;
    // A run would request missing ones; their values do not matter here.
    const isScored = areUsable(own, logprobs);
    ledger.addTurn(own, isScored ? logprobs : new Float32Array(own.length).fill(-1), sequenceId);
    const datum = buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, [1e-3]);
    const data = datum === null ? [] : [toWireDatum(datum, loss)];
    const how = { forwardOnly: true, mayBeRefused: true };
    return await services.client.forwardBackward(data, loss, {}, how);
  };
  const answer = await answerOrRefusal(forward());
  if ("refusal" in answer) {
    const finding = await refusedLoss(services.client, probeData(tokens), loss, answer);
    return await reportFinding(context, step, finding);
  }
  const message = `${serverName(context)} accepts loss_fn: ${loss}. Its formula is not published, so its values are not checked.`;
  await reportServerCheck(context, step, "info", message, { loss_fn: loss });
}

async function reportFinding(
  context: CheckContext,
  step: number,
  finding: LossFinding,
): Promise<void> {
  const { loss_fn: loss } = context.config;
  const server = serverName(context, "the");
  const reportUnchecked = async (level: "info" | "warn", why: string): Promise<void> => {
    const message = `Whether ${server} computes loss_fn: ${loss} could not be checked: ${why}`;
    await reportServerCheck(context, step, level, message);
  };
  switch (finding.kind) {
    case "matches":
      return await reportMatch(context, step, finding);
    case "unreported":
      return await reportUnchecked("info", "it reports no loss.");
    case "refused":
      return await reportUnchecked("info", `${asClause(finding.words)}.`);
    case "not-offered":
      throw notOffered(loss, server, finding);
    case "other":
      // Only a value that matches another known loss ends the run; a server may report the right loss in an unknown form.
      if (finding.fits !== null) throw mismatch(loss, server, finding);
      return await reportUnchecked(
        "warn",
        `${numbers(loss, finding)} No known loss gives that number. The run continues: compare optim/kl_sample_train_v2 and the reward of the first steps with what you expect, or set another loss_fn.`,
      );
  }
}

async function reportMatch(
  context: CheckContext,
  step: number,
  { source, given, expected, normalization, isCertain }: Finding<"matches">,
): Promise<void> {
  const { loss_fn } = context.config;
  const server = serverName(context);
  const how = isCertain
    ? ` as documented (${source})${normalization === null ? "; it does not report how it adds up tokens" : ""}`
    : `, or another loss with the same result for the probe (${source})`;
  const data = { loss_fn, source, given, expected, normalization };
  const message = `${server} computes loss_fn: ${loss_fn}${how}.`;
  await reportServerCheck(context, step, "info", message, data);
  if (!isCertain || normalization === null || normalization === "token_sum") return;
  const differs = `${server} reports the loss as the ${NORMALIZATION_WORDS[normalization]} (${source}), where Tinker's is the sum over tokens. If its gradients are scaled in the same way, grad_clip_norm and learning_rate act on another scale than on the hosted service.`;
  await reportServerCheck(context, step, "warn", differs, { normalization });
}

function notOffered(
  loss: string,
  server: string,
  { words, offered }: Finding<"not-offered">,
): AppError {
  // Whether the alpha takes a request that only asks for the loss is not documented.
  const otherwise =
    loss === "stable_reinforce" ? " probe_server: false trains without this check." : "";
  const message = `loss_fn: ${server} does not accept ${loss} (${asClause(words)}). It accepts ${offered.join(", ")}: set loss_fn to one of them.${otherwise}`;
  return new AppError("loss-not-offered", message, { configPath: "loss_fn", data: { offered } });
}

function mismatch(loss: string, server: string, finding: Finding<"other">): AppError {
  const { source, given, expected, fits } = finding;
  const message = `loss_fn: ${server} does not compute ${loss} as documented: ${numbers(loss, finding)} That number is what ${fits} gives. Set loss_fn to a loss that it computes, or fix the server; probe_server: false trains without this check.`;
  const data = { source, given, expected, fits };
  return new AppError("loss-differs", message, { configPath: "loss_fn", data });
}

function numbers(loss: string, { source, given, expected }: Finding<"other">): string {
  const shown = (value: number): number => Number(value.toPrecision(6));
  return `for a probe its ${source} is ${shown(given)}, but ${loss} gives ${shown(expected)} as the sum over tokens.`;
}
