/** Compares what a server gave as the loss of the probe with what each loss comes to for the log-probabilities it gave. */

import { lossMetrics } from "../tinker/metricNames.ts";
import type { ForwardBackwardResult } from "../tinker/wireProto.ts";
import type { LossCandidate } from "./lossCandidates.ts";
import { type LossNormalization, normalized } from "./normalizations.ts";
import type { TokenLoss } from "./policyLosses.ts";
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
      readonly kind: "honoured";
      /** Null where the server gives the loss of each token only. */
      readonly normalization: LossNormalization | null;
      readonly isCertain: boolean;
    })
  /** `fits` is what would have given the number; null = nothing that is known here. */
  | (LossReading & { readonly kind: "other"; readonly fits: string | null })
  /** The server reports no loss. */
  | { readonly kind: "silent" };

interface Fit {
  readonly candidate: LossCandidate;
  readonly normalization: LossNormalization | null;
}

/** Servers compute in lower precision than this program; of what the terms add up to without their signs. */
const TOLERANCE = 0.01;

export function lossVerdict(
  candidates: readonly LossCandidate[],
  data: ProbeData,
  answer: ForwardBackwardResult,
): LossVerdict {
  const tokens = data.map((positions, d) =>
    positions.map(({ q, advantage }, i) => ({ q, advantage, p: pOf(answer, d, i) })),
  );
  const isTrained = data.map((positions) => positions.map(({ advantage }) => advantage !== 0));
  const of = (loss: TokenLoss) =>
    normalized(
      tokens.map((row) => row.map(loss)),
      isTrained,
    );
  const [asked] = candidates;
  const expected = asked === undefined ? 0 : of(asked.value).sum;
  const sizes = candidates.map(({ value }) => of((token) => Math.abs(value(token))));
  const values = candidates.map(({ value }) => of(value));

  const fitsOf = (given: number): readonly Fit[] =>
    candidates.flatMap((candidate, c) =>
      keysOf(values[c]).flatMap((normalization) => {
        const gap = Math.abs(given - (values[c]?.[normalization] ?? 0));
        const isNear = gap <= TOLERANCE * (sizes[c]?.[normalization] ?? 0);
        return isNear ? [{ candidate, normalization }] : [];
      }),
    );
  const readings = lossMetrics(answer.metrics).map((source) => {
    const given = answer.metrics[source] ?? Number.NaN;
    return verdictOf({ source, given, expected }, fitsOf(given));
  });
  const best = readings.find(({ kind }) => kind === "honoured") ?? readings[0];
  if (best !== undefined) return best;

  const elementwise = answer.outputs.map(({ losses }) => losses);
  if (!elementwise.every((losses) => losses !== undefined)) return { kind: "silent" };
  const given = elementwise.reduce((total, row) => total + row.reduce((sum, x) => sum + x, 0), 0);
  const fits = candidates.filter(({ value }, c) => {
    const gaps = tokens.map((row, d) =>
      row.map((token, i) => Math.abs(value(token) - (elementwise[d]?.[i] ?? Number.NaN))),
    );
    return normalized(gaps, isTrained).sum <= TOLERANCE * (sizes[c]?.sum ?? 0);
  });
  const source = "elementwise_loss";
  return verdictOf(
    { source, given, expected },
    fits.map((candidate) => ({ candidate, normalization: null })),
  );
}

/** Of several normalisations the documented one is taken, which is the first. */
function verdictOf(reading: LossReading, fits: readonly Fit[]): LossVerdict {
  const honoured = fits.find(({ candidate }) => candidate.isAsked);
  if (honoured === undefined) {
    return { kind: "other", ...reading, fits: fits[0]?.candidate.label ?? null };
  }
  const { candidate, normalization } = honoured;
  const others = fits.filter((fit) => !fit.candidate.isAsked);
  const isCertain = !others.some((fit) =>
    fit.normalization === normalization
      ? fit.candidate.loss !== candidate.loss
      : fit.normalization === "sum",
  );
  return { kind: "honoured", ...reading, normalization, isCertain };
}

function pOf({ outputs }: ForwardBackwardResult, datum: number, position: number): number {
  return outputs[datum]?.logprobs[position] ?? Number.NaN;
}

function keysOf(
  record: Readonly<Record<LossNormalization, number>> | undefined,
): readonly LossNormalization[] {
  // Sound: the record's type lists its keys.
  return Object.keys(record ?? {}) as LossNormalization[];
}
