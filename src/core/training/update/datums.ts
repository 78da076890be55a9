/**
 * From trajectories to training data: the one place where tokens are shifted against what predicts them. Each sampled token has the
 * advantage of its rollout, or of its turn, and its log-probability under the policy that sampled it, the denominator of the importance ratio in PPO
 * (Schulman et al. 2017, arXiv:1707.06347), GRPO, CISPO and plain importance sampling.
 */

import { AppError } from "../../errors.ts";
import type { ImageFile } from "../../images/imageFile.ts";
import { isImageId } from "../../images/imageIds.ts";
import { type LedgerView, TOKEN_SOURCES } from "../../rollout/ledger.ts";
import { type Datum, policyInputs } from "../../tinker/wire/datum.ts";
import { groupBy } from "../../util/groupBy.ts";

/** A token stream and where it came from. */
export interface DatumSource {
  readonly group: number;
  readonly rollout: number;
  /** Position of the stream in its rollout. */
  readonly stream: number;
  readonly ledger: LedgerView;
  /** Those of the rollout, which ids below 0 stand for; absent = none. */
  readonly images?: readonly ImageFile[] | undefined;
}

export interface TrainingDatum extends DatumSource {
  /** Input ids; entry i predicts `targets[i]`. All arrays have this length. */
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  readonly logprobs: Float32Array;
  /** What the ratio of the loss starts from where that is not `logprobs`. */
  readonly oldLogprobs?: Float32Array | undefined;
  /** Log-probabilities of all targets under the weights at the beginning of the step; absent if not requested. */
  readonly trainerLogprobs?: Float32Array | undefined;
  /** Made again each time until something changes those of single tokens. */
  readonly advantages: Float32Array;
  /** Those of `off_policy_correction`, which the advantages hold already; absent = 1 each. */
  readonly weights?: Float64Array;
  /** 1 where the target was sampled and is trained. */
  readonly mask: Uint8Array;
}

/** Tokens of the datum of one stream; 0 when nothing in it is trained. */
export function datumLength({ mask }: Pick<LedgerView, "mask">): number {
  return Math.max(0, mask.lastIndexOf(1));
}

/**
 * The datum of one stream, or null when nothing in it is trained. With `full` the stream up to its last trained token: input
 * = full[0..n-2], targets = full[1..n-1], and the per-token arrays without their first element: `docs/protocols/tinker.md#forward_backward`.
 * `advantages` has one for each turn of the rollout, or one for all of them.
 * @throws AppError `invariant` when the ledger contradicts itself
 */
export function buildDatum(
  source: DatumSource,
  advantages: readonly number[],
): TrainingDatum | null {
  const { tokens, logprobs, mask } = checkedLedger(source.ledger);
  const n = datumLength({ mask }) + 1;
  if (n < 2) return null;
  // Views of the ledger, which only grows: a copy would double what a batch takes.
  const targets = tokens.subarray(1, n);
  const trained = mask.subarray(1, n);
  return {
    ...source,
    tokens: tokens.subarray(0, n - 1),
    // Nothing predicts an image: the wire wants 0 there.
    targets: targets.some(isImageId) ? targets.map((id) => (isImageId(id) ? 0 : id)) : targets,
    logprobs: logprobs.subarray(1, n),
    get advantages() {
      const turns = advantages.length > 1 ? source.ledger.turns.subarray(1, n) : null;
      return spread(advantages, trained, turns);
    },
    mask: trained,
  };
}

/** A loop, because a callback for each of millions of tokens takes a hundred times as long. */
function spread(
  advantages: readonly number[],
  mask: Uint8Array,
  turns: Int16Array | null,
): Float32Array {
  const values = new Float32Array(mask.length);
  for (let i = 0; i < mask.length; i += 1) {
    if (mask[i] === 1) values[i] = advantages[turns?.[i] ?? 0] ?? 0;
  }
  return values;
}

const SAMPLED = TOKEN_SOURCES.indexOf("sampled");

/** Its arrays, got once: a ledger makes a new view each time. */
function checkedLedger({ tokens, logprobs, mask, sources, turns }: LedgerView) {
  const lengths = [logprobs.length, mask.length, sources.length, turns.length];
  const isWhole = lengths.every((length) => length === tokens.length);
  let isTrue = mask[0] !== 1;
  for (let i = 0; i < mask.length && isTrue; i += 1) {
    isTrue = mask[i] === 1 ? sources[i] === SAMPLED : logprobs[i] === 0;
  }
  if (!isWhole || !isTrue) {
    throw new AppError(
      "invariant",
      "A rollout's token account is inconsistent; training skips the rollout.",
    );
  }
  return { tokens, logprobs, mask };
}

/** What is sent: exactly the inputs of the loss, with `factor` in the advantages. */
export function toWireDatum(datum: TrainingDatum, lossFn: string, factor = 1): Datum {
  const { tokens, images, targets, mask, advantages: own } = datum;
  const { oldLogprobs: logprobs = datum.logprobs } = datum;
  const advantages = factor === 1 ? own : own.map((a) => a * factor);
  return {
    tokens,
    images,
    lossInputs: policyInputs(lossFn, { targets, logprobs, advantages, mask }),
  };
}

/**
 * Cuts data into `count` contiguous parts of about equal token counts, or into one for each group where there are fewer groups: a
 * group is never split. Each part gets a group, and then those whose middle token falls within an even share of what is left.
 */
export function splitSubsteps(
  data: readonly TrainingDatum[],
  count: number,
): readonly (readonly TrainingDatum[])[] {
  const groups = [...groupBy(data, (datum) => datum.group).values()];
  const lengths = groups.map(countTokens);
  const parts: (readonly TrainingDatum[])[] = [];
  let left = countTokens(data);
  let next = 0;
  for (let open = Math.min(count, groups.length); open > 0; open -= 1) {
    const first = next;
    const share = left / open;
    let taken = 0;
    do {
      taken += lengths[next] ?? 0;
      next += 1;
    } while (groups.length - next >= open && taken + (lengths[next] ?? 0) / 2 < share);
    parts.push(groups.slice(first, next).flat());
    left -= taken;
  }
  return parts;
}

function countTokens(data: readonly TrainingDatum[]): number {
  return data.reduce((sum, datum) => sum + datum.tokens.length, 0);
}
