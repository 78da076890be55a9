/** Checks whether a server computes the requested loss, with a forward-only request that trains nothing. */

import { sum } from "../../shared/mean.ts";
import type { Config } from "../config/fields/schema.ts";
import { type LossName, lossParameters } from "../config/rules/lossDefaults.ts";
import type { TrainingClient } from "../tinker/trainingClient.ts";
import type { ForwardBackwardResult } from "../tinker/wire/forwardBackwardProto.ts";
import { lossMetrics } from "../tinker/wire/metricNames.ts";
import { LOSS_NAMES, type LossCandidate, lossCandidates } from "./lossCandidates.ts";
import { type LossNormalization, normalized } from "./normalizations.ts";
import type { DocumentedLoss, LossToken } from "./policyLosses.ts";
import { type ProbeData, probeData, toDatums } from "./probeData.ts";
import { answerOrRefusal, type Refusal } from "./refusal.ts";

export type LossFinding =
  | LossVerdict
  /** Refused, although the server accepts `offered`. */
  | { readonly kind: "not-offered"; readonly words: string; readonly offered: readonly string[] }
  /** The server does not support this check. */
  | { readonly kind: "refused"; readonly words: string };

interface Asked extends Pick<Config, "loss_fn_config"> {
  readonly loss_fn: DocumentedLoss;
}

/**
 * Sends one request if the answer is as documented. Otherwise sends a second request with data calibrated to the model's
 * log-probabilities. `tokens` are the model's token ids.
 * @throws AppError `tinker-*` when the server is unreachable
 */
export async function probeLoss(
  client: TrainingClient,
  tokens: readonly number[],
  config: Asked,
): Promise<LossFinding> {
  const parameters = lossParameters(config);
  const { loss_fn: loss } = config;
  const candidates = lossCandidates(loss, parameters);
  const initial = probeData(tokens);
  const first = await ask(client, initial, loss, parameters);
  if ("refusal" in first) return await refusedLoss(client, initial, loss, first);
  const verdict = lossVerdict(candidates, initial, first);
  if (verdict.kind === "unreported" || isPlain(verdict)) return verdict;
  const logprobs = first.outputs.map((output) => output.logprobs);
  const { clip_low_threshold: low, clip_high_threshold: high } = parameters;
  const calibrated = probeData(tokens, { logprobs, low, high });
  const second = await ask(client, calibrated, loss, parameters);
  if ("refusal" in second) return verdict;
  const checked = lossVerdict(candidates, calibrated, second);
  if (checked.kind !== "matches" || isPlain(checked)) return checked;
  // One number may fit a normalization by chance. Two numbers rarely fit the same one.
  const isSame = verdict.kind === "matches" && verdict.normalization === checked.normalization;
  return { ...checked, isCertain: checked.isCertain && isSame };
}

/** True for the documented answer, which needs no second request: the requested loss, summed. */
function isPlain(verdict: Exclude<LossVerdict, { kind: "unreported" }>): boolean {
  if (verdict.kind === "other" || !verdict.isCertain) return false;
  return verdict.normalization === null || verdict.normalization === "token_sum";
}

function ask(
  client: TrainingClient,
  data: ProbeData,
  loss: LossName,
  parameters: Readonly<Record<string, number>>,
): Promise<ForwardBackwardResult | Refusal> {
  const how = { forwardOnly: true, mayBeRefused: true };
  return answerOrRefusal(client.forwardBackward(toDatums(data, loss), loss, parameters, how));
}

/** Asks for the other losses: a server that refuses all losses in this form may still accept them in training. */
export async function refusedLoss(
  client: TrainingClient,
  data: ProbeData,
  asked: LossName,
  { refusal: words }: Refusal,
): Promise<Extract<LossFinding, { kind: "not-offered" | "refused" }>> {
  const offered: LossName[] = [];
  for (const loss of LOSS_NAMES.filter((other) => other !== asked)) {
    const parameters = lossParameters({ loss_fn: loss, loss_fn_config: {} });
    if (!("refusal" in (await ask(client, data, loss, parameters)))) offered.push(loss);
  }
  return offered.length === 0
    ? { kind: "refused", words }
    : { kind: "not-offered", words, offered };
}

interface LossReading {
  /** Name of the metric, or `elementwise_loss`. */
  readonly source: string;
  readonly given: number;
  /** As documented: the sum over tokens. */
  readonly expected: number;
}

type LossVerdict =
  /** `isCertain` is false if another loss would give the same number. */
  | (LossReading & {
      readonly kind: "matches";
      /** Null if the server gives only the loss of each token. */
      readonly normalization: LossNormalization | null;
      readonly isCertain: boolean;
    })
  /** `fits` is a loss that would give the number; null = no known loss. */
  | (LossReading & { readonly kind: "other"; readonly fits: string | null })
  /** The server reports no loss. */
  | { readonly kind: "unreported" };

interface Fit {
  readonly candidate: LossCandidate;
  readonly normalization: LossNormalization | null;
}

type Rows<Value> = readonly (readonly Value[])[];

/** Servers compute with lower precision than this program. Relative to the sum of absolute values. */
const TOLERANCE = 0.01;

/** The first candidate is the requested loss. */
function lossVerdict(
  candidates: readonly [LossCandidate, ...LossCandidate[]],
  data: ProbeData,
  answer: ForwardBackwardResult,
): LossVerdict {
  const tokens = data.map((positions, d) =>
    positions.map(({ q, advantage }, i) => {
      const p = answer.outputs[d]?.logprobs[i] ?? Number.NaN;
      return { p, q, advantage };
    }),
  );
  const [asked] = candidates;
  const expected = sum(tokens.flatMap(asked.values));
  const verdictOn = (source: string, given: number, fits: readonly Fit[]) =>
    verdictOf({ source, given, expected }, fits, asked);
  const verdicts = lossMetrics(answer.metrics).map((source) => {
    const given = answer.metrics[source] ?? Number.NaN;
    return verdictOn(source, given, fitsOfNumber(candidates, tokens, given));
  });
  const best = verdicts.find(({ kind }) => kind === "matches") ?? verdicts[0];
  if (best !== undefined) return best;
  const losses = answer.outputs.flatMap((output) => output.losses ?? []);
  if (losses.length < data.length) return { kind: "unreported" };
  const given = losses.map((row) => Array.from(row));
  return verdictOn("elementwise_loss", sum(given.flat()), fitsOfTokens(candidates, tokens, given));
}

/** Sorted by normalization, with the documented sum first, then by candidate. */
function fitsOfNumber(
  candidates: readonly LossCandidate[],
  tokens: Rows<LossToken>,
  given: number,
): readonly Fit[] {
  const isTrained = tokens.map((row) => row.map(({ advantage }) => advantage !== 0));
  const fits = candidates.flatMap((candidate) => {
    const losses = tokens.map(candidate.values);
    const values = normalized(losses, isTrained);
    const sizes = normalized(
      losses.map((row) => row.map(Math.abs)),
      isTrained,
    );
    // Sound: the record's type lists its keys.
    return (Object.keys(values) as LossNormalization[])
      .filter((name) => Math.abs(given - values[name]) <= TOLERANCE * sizes[name])
      .map((normalization) => ({ candidate, normalization }));
  });
  const rank = ({ normalization }: Fit): number => (normalization === "token_sum" ? 0 : 1);
  return fits.toSorted((one, other) => rank(one) - rank(other));
}

function fitsOfTokens(
  candidates: readonly LossCandidate[],
  tokens: Rows<LossToken>,
  given: Rows<number>,
): readonly Fit[] {
  const fits = candidates.filter(({ values }) => {
    const losses = tokens.map(values);
    const gaps = losses.flatMap((row, d) =>
      row.map((loss, i) => Math.abs(loss - (given[d]?.[i] ?? Number.NaN))),
    );
    return sum(gaps) <= TOLERANCE * sum(losses.flat().map(Math.abs));
  });
  return fits.map((candidate) => ({ candidate, normalization: null }));
}

function verdictOf(reading: LossReading, fits: readonly Fit[], asked: LossCandidate): LossVerdict {
  const isAsked = ({ candidate }: Fit): boolean => candidate.label === asked.label;
  const match = fits.find(isAsked);
  if (match === undefined) {
    return { kind: "other", ...reading, fits: fits[0]?.candidate.label ?? null };
  }
  const { normalization } = match;
  const isCertain = fits.every(
    (fit) =>
      isAsked(fit) ||
      (fit.normalization === normalization
        ? fit.candidate.loss === asked.loss
        : fit.normalization !== "token_sum"),
  );
  return { kind: "matches", ...reading, normalization, isCertain };
}
