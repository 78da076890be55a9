/** Compares what a server gave as the loss of the probe with what each loss comes to for the log-probabilities it gave. */

import { lossMetrics } from "../tinker/metricNames.ts";
import type { ForwardBackwardResult } from "../tinker/wireProto.ts";
import type { LossCandidate } from "./lossCandidates.ts";
import { type LossNormalization, normalized } from "./normalizations.ts";
import type { LossToken, TokenLoss } from "./policyLosses.ts";
import type { ProbeData } from "./probeData.ts";

export interface LossReading {
  /** Name of the metric, or `elementwise_loss`. */
  readonly source: string;
  readonly given: number;
  /** As documented: the sum over tokens. */
  readonly expected: number;
}

export type LossVerdict =
  /** `isCertain` is false when another loss would have given the same number. */
  | (LossReading & {
      readonly kind: "matches";
      /** Null where the server gives the loss of each token only. */
      readonly normalization: LossNormalization | null;
      readonly isCertain: boolean;
    })
  /** `fits` is what would have given the number; null = nothing that is known here. */
  | (LossReading & { readonly kind: "other"; readonly fits: string | null })
  /** The server reports no loss. */
  | { readonly kind: "unreported" };

interface Fit {
  readonly candidate: LossCandidate;
  readonly normalization: LossNormalization | null;
}

type Tokens = readonly (readonly LossToken[])[];

/** Servers compute in lower precision than this program; of what the terms add up to without their signs. */
const TOLERANCE = 0.01;

/** The loss that was asked for is the first of the candidates. */
export function lossVerdict(
  candidates: readonly LossCandidate[],
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
  const expected = asked === undefined ? Number.NaN : reductions(tokens, asked.value).token_sum;
  const verdicts = lossMetrics(answer.metrics).map((source) => {
    const given = answer.metrics[source] ?? Number.NaN;
    return verdictOf({ source, given, expected }, fitsOfNumber(candidates, tokens, given));
  });
  const best = verdicts.find(({ kind }) => kind === "matches") ?? verdicts[0];
  if (best !== undefined) return best;
  const losses = answer.outputs.flatMap((output) => output.losses ?? []);
  if (losses.length < data.length) return { kind: "unreported" };
  const given = sum(losses.map((row) => sum([...row])));
  const reading = { source: "elementwise_loss", given, expected };
  return verdictOf(reading, fitsOfTokens(candidates, tokens, losses));
}

/** By how the number would have come about, the documented sum first, and then in the order of the candidates. */
function fitsOfNumber(
  candidates: readonly LossCandidate[],
  tokens: Tokens,
  given: number,
): readonly Fit[] {
  const fits = candidates.flatMap((candidate) => {
    const values = reductions(tokens, candidate.value);
    const sizes = reductions(tokens, (token) => Math.abs(candidate.value(token)));
    // Sound: the record's type lists its keys.
    const names = Object.keys(values) as LossNormalization[];
    return names
      .filter((name) => Math.abs(given - values[name]) <= TOLERANCE * sizes[name])
      .map((normalization) => ({ candidate, normalization }));
  });
  const isSum = ({ normalization }: Fit): number => (normalization === "token_sum" ? 0 : 1);
  return fits.toSorted((one, other) => isSum(one) - isSum(other));
}

function fitsOfTokens(
  candidates: readonly LossCandidate[],
  tokens: Tokens,
  losses: readonly Float32Array[],
): readonly Fit[] {
  return candidates.flatMap((candidate) => {
    const values = tokens.map((row) => row.map(candidate.value));
    const gaps = values.flatMap((row, d) =>
      row.map((value, i) => Math.abs(value - (losses[d]?.[i] ?? Number.NaN))),
    );
    const isNear = sum(gaps) <= TOLERANCE * sum(values.flat().map(Math.abs));
    return isNear ? [{ candidate, normalization: null }] : [];
  });
}

function verdictOf(reading: LossReading, fits: readonly Fit[]): LossVerdict {
  const matches = fits.find(({ candidate }) => candidate.isAsked);
  if (matches === undefined) {
    return { kind: "other", ...reading, fits: fits[0]?.candidate.label ?? null };
  }
  const { candidate, normalization } = matches;
  const others = fits.filter((fit) => !fit.candidate.isAsked);
  const isCertain = !others.some((fit) =>
    fit.normalization === normalization
      ? fit.candidate.loss !== candidate.loss
      : fit.normalization === "token_sum",
  );
  return { kind: "matches", ...reading, normalization, isCertain };
}

function reductions(tokens: Tokens, loss: TokenLoss): Readonly<Record<LossNormalization, number>> {
  return normalized(
    tokens.map((row) => row.map(loss)),
    tokens.map((row) => row.map(({ advantage }) => advantage !== 0)),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
