/** Checks before the first rollout of an attempt which distribution the log-probabilities of sampled tokens belong to. */

import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import {
  type LogprobConvention,
  type ProbedSampling,
  probeConvention,
} from "../../serverChecks/probeConvention.ts";
import { PROBE_TEXT } from "../../serverChecks/probeData.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { RunContext } from "../run/context.ts";
import { asClause, type CheckContext, reportServerCheck, serverName } from "./reportServerCheck.ts";

type CheckingContext = CheckContext & Pick<RunContext, "control">;

/**
 * When temperature, top_p or top_k change the sampling distribution, checks whether the sampler's log-probabilities reflect it. Records
 * an event and a warning, because no ratio of log-probabilities can correct for it. Returns metrics for the next row.
 * @throws AppError `tinker-*`
 */
export async function checkSampling(
  context: CheckingContext,
  sampler: SamplingClient,
  step: number,
): Promise<MetricsTree> {
  const found = nonDefaultSampling(context);
  if (found === null) return {};
  const { environment, sampling } = found;
  const finding = await probeConvention(sampler, {
    tokens: context.services.chat.tokenizer.encodeText(PROBE_TEXT),
    sampling,
    seed: context.config.seed,
    signal: context.control.signal,
  });
  const words = samplingWords(sampling);
  if (finding.convention === null) {
    const message = `Whether the log-probabilities of ${serverName(context, "the")} include ${words} (environment ${environment}) could not be checked: ${asClause(finding.words)}.`;
    await reportServerCheck(context, step, "warn", message);
    return {};
  }
  const message = `${serverName(context)} ${CONVENTION_WORDS[finding.convention](words)} Sample with temperature: 1 and without top_p and top_k in environment ${environment} to train on-policy.`;
  await reportServerCheck(context, step, "warn", message, { ...finding });
  return { sampler: { logprob_convention: finding.convention } };
}

/** The first environment that does not sample from the model's own distribution; temperature 0 does not sample at all. */
function nonDefaultSampling({ config, services }: CheckingContext) {
  for (const environment of Object.keys(config.environments)) {
    const settings = services.environments.get(environment)?.settings;
    if (settings === undefined) continue;
    const { temperature, topP, topK } = settings;
    const isPlain = temperature === 1 && topP === 1 && topK < 1;
    if (isPlain || temperature === 0) continue;
    return { environment, sampling: { temperature, topP, topK } };
  }
  return null;
}

function samplingWords({ temperature, topP, topK }: ProbedSampling): string {
  const words = [
    temperature === 1 ? "" : `temperature ${temperature}`,
    topP === 1 ? "" : `top_p ${topP}`,
    topK < 1 ? "" : `top_k ${topK}`,
  ];
  return words.filter(Boolean).join(" and ");
}

const CONVENTION_WORDS: Readonly<Record<LogprobConvention, (sampling: string) => string>> = {
  raw: (sampling) =>
    `reports log-probabilities of the model itself, without ${sampling}: the ratios of the loss ignore how tokens were actually drawn, and training is off-policy without a correction.`,
  scaled: (sampling) =>
    `reports log-probabilities with ${sampling}, but trains the model without: the ratios of the loss include the difference, and so do clipping and optim/kl_sample_train_*.`,
  unclear: (sampling) =>
    `reports log-probabilities that may or may not include ${sampling}, so the ratios of the loss may be off.`,
};
