/** Before the first update of an attempt: does the service compute what the configuration says? */

import { isLocalModel } from "../config/presets.ts";
import { AppError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { LogprobConvention } from "../probes/logprobConvention.ts";
import { NORMALIZATION_WORDS } from "../probes/normalizations.ts";
import { type ProbedSampling, probeConvention } from "../probes/probeConvention.ts";
import { PROBE_TEXT } from "../probes/probeData.ts";
import { type LossFinding, probeLoss } from "../probes/probeLoss.ts";
import type { MetricsTree } from "../run/metricsTree.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import type { RunContext } from "./context.ts";

type ProbingContext = Pick<
  RunContext,
  | "client"
  | "config"
  | "control"
  | "environments"
  | "events"
  | "redactor"
  | "service"
  | "tokenizer"
  | "watch"
>;

/**
 * Trains nothing. What was found out is an event, and a line unless all is as documented by the embedded engine.
 * @throws AppError `loss-not-offered` and `loss-not-honoured`, with the numbers; `tinker-*`
 */
export async function checkLoss(context: ProbingContext, step: number): Promise<void> {
  const { client, config, tokenizer } = context;
  const finding = await probeLoss(client, tokenizer.encodeText(PROBE_TEXT), config);
  switch (finding.kind) {
    case "honoured":
      return await tellHonoured(context, step, finding);
    case "silent":
      return await tell(context, step, "info", unchecked(context, "it reports no loss"));
    case "refused":
      return await tell(context, step, "info", unchecked(context, finding.words));
    case "not-offered":
      throw notOffered(context, finding);
    case "other":
      throw notHonoured(context, finding);
  }
}

/**
 * Where sampling is not plain: do the sampler's log-probabilities hold what was done to it? What was found out is an event and a
 * warning, since no ratio of log-probabilities makes up for it (training-loop rule D-17). Gives metrics for the next row.
 * @throws AppError `tinker-*`
 */
export async function checkSampling(
  context: ProbingContext,
  sampler: SamplingClient,
  step: number,
): Promise<MetricsTree> {
  const odd = oddSampling(context);
  if (odd === null) return {};
  const { environment, sampling } = odd;
  const tokens = context.tokenizer.encodeText(PROBE_TEXT);
  const { seed } = context.config;
  const { signal } = context.control;
  const finding = await probeConvention(sampler, { tokens, sampling, seed, signal });
  const words = samplingWords(sampling);
  if (finding.convention === null) {
    const message = `Whether the log-probabilities of ${serverName(context, "the")} hold ${words} (environment ${environment}) could not be checked: ${asClause(finding.words)}.`;
    await tell(context, step, "warn", message);
    return {};
  }
  const message = `${serverName(context)} ${CONVENTION_WORDS[finding.convention](words)} Sample with temperature: 1 and without top_p and top_k in environment ${environment} to train on-policy.`;
  await tell(context, step, "warn", message, { ...finding });
  return { sampler: { logprob_convention: finding.convention } };
}

/** The first environment whose rollouts are not drawn from the model's own distribution; at temperature 0 nothing is drawn. */
function oddSampling({ config, environments }: ProbingContext) {
  for (const environment of Object.keys(config.environments)) {
    const settings = environments.get(environment)?.settings;
    if (settings === undefined) continue;
    const { temperature, topP, topK } = settings;
    const isPlain = temperature === 1 && topP === 1 && topK < 1;
    if (isPlain || temperature === 0) continue;
    return { environment, sampling: { temperature, topP, topK } };
  }
  return null;
}

function samplingWords({ temperature, topP, topK }: ProbedSampling): string {
  const parts = [
    ...(temperature === 1 ? [] : [`temperature ${temperature}`]),
    ...(topP === 1 ? [] : [`top_p ${topP}`]),
    ...(topK < 1 ? [] : [`top_k ${topK}`]),
  ];
  return parts.join(" and ");
}

const CONVENTION_WORDS: Readonly<Record<LogprobConvention, (sampling: string) => string>> = {
  raw: (sampling) =>
    `reports log-probabilities of the model itself, without ${sampling}: the ratios of the loss leave out how tokens were really drawn, and training is off-policy without a correction.`,
  scaled: (sampling) =>
    `reports log-probabilities with ${sampling} in them, but trains the model without: the ratios of the loss hold the difference, so that clipping and optim/kl_sample_train_* see it, too.`,
  unclear: (sampling) =>
    `reports log-probabilities of which it is not clear whether they hold ${sampling}, so the ratios of the loss may be off.`,
};

type Finding<Kind extends LossFinding["kind"]> = Extract<LossFinding, { kind: Kind }>;

async function tellHonoured(
  context: ProbingContext,
  step: number,
  { source, given, expected, normalization, isCertain }: Finding<"honoured">,
): Promise<void> {
  const { loss_fn } = context.config;
  const data = { loss_fn, source, given, expected, normalization };
  const who = serverName(context);
  if (!isCertain) {
    const message = `${who} computes loss_fn: ${loss_fn}, or another loss that is the same for the probe (${source}).`;
    return await tell(context, step, "info", message, data);
  }
  const how = normalization === null ? "; how it adds tokens up is not told" : "";
  const message = `${who} computes loss_fn: ${loss_fn} as documented (${source})${how}.`;
  await tell(context, step, "info", message, data);
  if (normalization === null || normalization === "sum") return;
  const differs = `${who} reports the loss as the ${NORMALIZATION_WORDS[normalization]} (${source}), where Tinker's is the sum over tokens. If its gradients are scaled alike, grad_clip_norm and learning_rate act on another scale than on the hosted service.`;
  await tell(context, step, "warn", differs, { normalization });
}

async function tell(
  { config, events, redactor, watch }: ProbingContext,
  step: number,
  level: "info" | "warn",
  words: string,
  data: JsonObject = {},
): Promise<void> {
  const message = redactor.clean(words);
  await events.record({ step, level, kind: "server-probed", message, data });
  if (level === "warn") watch({ kind: "warning", message });
  else if (!isLocalModel(config.model_name)) watch({ kind: "notice", message });
}

function unchecked(context: ProbingContext, why: string): string {
  return `Whether ${serverName(context, "the")} computes loss_fn: ${context.config.loss_fn} could not be checked: ${asClause(why)}.`;
}

function notOffered(context: ProbingContext, { words, offered }: Finding<"not-offered">): AppError {
  const { loss_fn: loss } = context.config;
  return new AppError(
    "loss-not-offered",
    `loss_fn: ${serverName(context, "the")} does not take ${loss} (${asClause(words)}). It takes ${offered.join(", ")}: set loss_fn to one of them.`,
    { configPath: "loss_fn", data: { offered } },
  );
}

function notHonoured(context: ProbingContext, finding: Finding<"other">): AppError {
  const { loss_fn: loss } = context.config;
  const { source, given, expected, fits } = finding;
  const fit =
    fits === null ? "No loss known here gives that number." : `That number is what ${fits} gives.`;
  return new AppError(
    "loss-not-honoured",
    `loss_fn: ${serverName(context, "the")} does not compute ${loss} as documented: for a probe its ${source} is ${shown(given)}, where ${loss} gives ${shown(expected)} as the sum over tokens. ${fit} Set loss_fn to a loss that it computes or mend the server; probe_server: false trains with it unchecked.`,
    { configPath: "loss_fn", data: { source, given, expected, fits } },
  );
}

function serverName({ config, service }: ProbingContext, article: "The" | "the" = "The"): string {
  return isLocalModel(config.model_name)
    ? `${article} embedded engine`
    : `${article} server at ${service.address}`;
}

function asClause(words: string): string {
  return words.replace(/\s+/g, " ").replace(/[.\s]+$/, "");
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}
