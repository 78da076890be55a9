/**
 * The passes over the data of a step, as PPO makes several epochs of minibatches (arXiv:1707.06347, algorithm 1): the advantages and
 * the log-probabilities of the sampler stay those of the first pass, and each further pass divides the groups among updates in another
 * order.
 */

import type { Config } from "../../config/fields/schema.ts";
import type { Sha256 } from "../../ports.ts";
import type { TrainingBatch } from "./groups.ts";

export interface PassOrder {
  /** Counted in the run, from 0. */
  readonly step: number;
  readonly sha256: Sha256;
}

/** The batch of each pass: the first in the order of the data, the others shuffled by `seed`, step and pass. */
export function passesOf(
  batch: TrainingBatch,
  { num_passes: passes, seed }: Pick<Config, "num_passes" | "seed">,
  { step, sha256 }: PassOrder,
): readonly TrainingBatch[] {
  return Array.from({ length: passes }, (_, pass) =>
    pass === 0
      ? batch
      : inOrderOf(batch, (group) => sha256(`pass|${seed}|${step}|${pass}|${group}`)),
  );
}

/** Groups by their keys; within a group the order stays. */
function inOrderOf(
  { data, counted }: TrainingBatch,
  keyOf: (group: number) => string,
): TrainingBatch {
  const groups = [...new Set([...data, ...counted].map(({ group }) => group))];
  const keyed = groups.map((group) => ({ group, key: keyOf(group) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const places = new Map(keyed.map(({ group }, place) => [group, place]));
  const byPlace = (a: { readonly group: number }, b: { readonly group: number }): number =>
    (places.get(a.group) ?? 0) - (places.get(b.group) ?? 0);
  return { data: data.toSorted(byPlace), counted: counted.toSorted(byPlace) };
}
