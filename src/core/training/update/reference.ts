/** Log-probabilities of training data under a model other than the policy: the KL reference or a teacher. */

import { type LedgerView, TOKEN_SOURCES } from "../../rollout/ledger.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { RunContext } from "../run/context.ts";
import type { TrainingDatum } from "./datums.ts";

export type ReferenceContext = Pick<RunContext, "config" | "control" | "limits" | "services">;

/** A base model by name, or trained weights as named in the configuration. */
export type ReferenceModel =
  | { readonly kind: "base"; readonly name: string }
  | { readonly kind: "weights"; readonly given: string };

/** Samplers for other weights, opened once per training client and name. */
const opened = new WeakMap<object, Map<string, Promise<SamplingClient>>>();

/** @throws AppError `tinker-*`, `run-not-found`, `no-such-checkpoint` */
export function referenceSampler(
  { services }: Pick<ReferenceContext, "services">,
  reference: ReferenceModel,
): Promise<SamplingClient> {
  const { client, service, samplerPathOf } = services;
  if (reference.kind === "base") return service.samplerForBase(reference.name);
  const { given } = reference;
  const known = opened.get(client) ?? new Map<string, Promise<SamplingClient>>();
  opened.set(client, known);
  const sampler =
    known.get(given) ?? samplerPathOf(given).then((path) => service.samplerForPath(path));
  known.set(given, sampler);
  // A later attempt may succeed.
  sampler.catch(() => known.delete(given));
  return sampler;
}

/**
 * One per target of each datum, with the run's sampling concurrency. NaN if the service gives none, for a target that fills the context
 * to its end, and within the prompt when it is replaced by `promptOf`. @throws AppError `tinker-*`
 */
export async function referenceLogprobs(
  context: ReferenceContext,
  reference: ReferenceModel,
  data: readonly TrainingDatum[],
  promptOf: (ledger: LedgerView) => ReferencePrompt = ownPrompt,
): Promise<readonly Float32Array[]> {
  const sampler = await referenceSampler(context, reference);
  const { signal } = context.control;
  return Promise.all(
    data.map((datum) =>
      context.limits.samples.run(
        () => logprobsOf(context, sampler, datum, promptOf(datum.ledger), signal),
        { signal },
      ),
    ),
  );
}

/** Replaces the first `length` tokens of a stream. */
export interface ReferencePrompt {
  readonly ids: ArrayLike<number> & Iterable<number>;
  readonly length: number;
}

const PROMPT = TOKEN_SOURCES.indexOf("prompt");

function ownPrompt(): ReferencePrompt {
  return { ids: [], length: 0 };
}

/** The prompt with the text that only a teacher reads. */
export function taughtPrompt({ sources, taughtPrompt: ids }: LedgerView): ReferencePrompt {
  if (ids === undefined) return ownPrompt();
  return { ids, length: sources.findIndex((source) => source !== PROMPT) };
}

async function logprobsOf(
  { services }: ReferenceContext,
  sampler: SamplingClient,
  { ledger, tokens, images = [] }: TrainingDatum,
  { ids, length }: ReferencePrompt,
  signal: AbortSignal,
): Promise<Float32Array> {
  const [environment] = services.environments.values();
  // A request for log-probabilities also samples one token, which needs room.
  const room = (environment?.given.maxContext ?? Number.POSITIVE_INFINITY) - 1;
  const sequence = [...ids, ...ledger.tokens.subarray(length, tokens.length + 1)].slice(0, room);
  const known = await sampler.computeLogprobs(sequence, { images, signal });
  const shift = ids.length - length;
  return Float32Array.from(tokens, (_, i) =>
    i + 1 < length ? Number.NaN : (known[i + 1 + shift] ?? Number.NaN),
  );
}

/** Each value plus `discount` times the sum that follows; a discount of 0 changes nothing. */
export function discountedSums(values: Float64Array, discount: number): Float64Array {
  if (discount === 0) return values;
  const sums = Float64Array.from(values);
  for (let i = sums.length - 2; i >= 0; i -= 1) {
    sums[i] = (sums[i] ?? 0) + discount * (sums[i + 1] ?? 0);
  }
  return sums;
}

/** Adds `added`, one value per target, to the advantages of trained tokens. */
export function withAdvantages(datum: TrainingDatum, added: Float64Array): TrainingDatum {
  const advantages = datum.advantages.map((advantage, i) =>
    datum.mask[i] === 1 ? advantage + (added[i] ?? 0) : advantage,
  );
  return { ...datum, advantages };
}
