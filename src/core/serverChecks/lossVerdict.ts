/** Compares what a server gave as the loss of the probe with what each loss comes to for the log-probabilities it gave. */

import type { ForwardBackwardResult } from "../tinker/wire/forwardBackwardProto.ts";
import { lossMetrics } from "../tinker/wire/metricNames.ts";
import { sum } from "../util/stats.ts";
import type { LossCandidate } from "./lossCandidates.ts";
import { type LossNormalization, normalized } from "./normalizations.ts";
import type { LossToken } from "./policyLosses.ts";
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

type Rows<Value> = readonly (readonly Value[])[];

/** Servers compute in lower precision than this program; of what the terms add up to without their signs. */
const TOLERANCE = 0.01;

/** The loss that was asked for is the first of the candidates. */
export function lossVerdict(
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

/** By how the number would have come about, the documented sum first, and then in the order of the candidates. */
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
