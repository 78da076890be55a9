/**
 * Converts trajectories to training data. This is the only place where tokens are shifted against their predictions. Each sampled token
 * has the advantage of its rollout or turn, and its log-probability under the policy that sampled it: the denominator of the importance
 * ratio in PPO (Schulman et al. 2017, arXiv:1707.06347), GRPO, CISPO and plain importance sampling.
 */

import { groupBy } from "../../../shared/groupBy.ts";
import { AppError } from "../../errors.ts";
import type { ImageFile } from "../../images/imageFile.ts";
import { isImageId } from "../../images/imageIds.ts";
import { type LedgerView, TOKEN_SOURCES, type TokenRun } from "../../rollout/ledger.ts";
import { type Datum, policyInputs } from "../../tinker/wire/datum.ts";
import type { SequenceSpan } from "../../tinker/wire/forwardBackwardProto.ts";

/** A token stream and its origin. */
export interface DatumSource {
  readonly group: number;
  readonly rollout: number;
  /** Index of the stream in its rollout. */
  readonly stream: number;
  readonly ledger: LedgerView;
  /** Images of the rollout, referenced by ids below 0; absent without any. */
  readonly images?: readonly ImageFile[] | undefined;
}

export interface TrainingDatum extends DatumSource {
  /** Input ids; entry i predicts `targets[i]`. All arrays have this length. */
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  readonly logprobs: Float32Array;
  /** Log-probabilities from which the ratio of the loss starts, if not `logprobs`. */
  readonly oldLogprobs?: Float32Array | undefined;
  /** Log-probabilities of all targets under the weights at the start of the step; absent if not requested. */
  readonly trainerLogprobs?: Float32Array | undefined;
  /** Computed on each access until an adjustment sets them per token. */
  readonly advantages: Float32Array;
  /** Weights from `off_policy_correction`, already part of the advantages; absent means 1. */
  readonly weights?: Float64Array;
  /** 1 where the target was sampled and is trained. */
  readonly mask: Uint8Array;
}

/** Number of tokens in a stream's datum; 0 when nothing in it is trained. */
export function datumLength({ mask }: Pick<LedgerView, "mask">): number {
  return Math.max(0, mask.lastIndexOf(1));
}

/**
 * The datum of one stream, or null when nothing in it is trained. With `full` as the stream up to its last trained token: input =
 * full[0..n-2], targets = full[1..n-1], and per-token arrays without their first element: `docs/protocols/tinker.md#forward_backward`.
 * `advantages` has one value per turn of the rollout, or one for all turns.
 * @throws AppError `invariant` when the ledger is inconsistent
 */
export function buildDatum(
  source: DatumSource,
  advantages: readonly number[],
): TrainingDatum | null {
  const { tokens, logprobs, mask } = checkedLedger(source.ledger);
  const n = datumLength({ mask }) + 1;
  if (n < 2) return null;
  // Views of the ledger, which only grows; copying would double a batch's memory.
  const targets = tokens.subarray(1, n);
  const trained = mask.subarray(1, n);
  return {
    ...source,
    tokens: tokens.subarray(0, n - 1),
    // Images have no prediction; the protocol wants target 0 there.
    targets: targets.some(isImageId) ? targets.map((id) => (isImageId(id) ? 0 : id)) : targets,
    logprobs: logprobs.subarray(1, n),
    get advantages() {
      const turns = advantages.length > 1 ? source.ledger.turns.subarray(1, n) : null;
      return spread(advantages, trained, turns);
    },
    mask: trained,
  };
}

/** A plain loop, because a callback per token is about a hundred times slower for millions of tokens. */
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

/** Reads each array once, because a ledger creates a new view on every access. */
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

/** The datum to send: exactly the inputs of the loss, with advantages multiplied by `factor`. */
export function toWireDatum(datum: TrainingDatum, lossFn: string, factor = 1): Datum {
  const { tokens, images, targets, mask, advantages: own } = datum;
  const { oldLogprobs: logprobs = datum.logprobs } = datum;
  const advantages = factor === 1 ? own : own.map((a) => a * factor);
  const { runs } = datum.ledger;
  const n = tokens.length + 1;
  return {
    tokens,
    images,
    lossInputs: policyInputs(lossFn, { targets, logprobs, advantages, mask }),
    provenance:
      lossFn === "stable_reinforce"
        ? { input: spansOf(runs, 0, n - 1), targets: spansOf(runs, 1, n) }
        : undefined,
  };
}

/** The sequences of a stream's tokens from `start` to `end`. @throws AppError `invariant` for a token without one */
function spansOf(runs: readonly TokenRun[], start: number, end: number): readonly SequenceSpan[] {
  const spans: SequenceSpan[] = [];
  let from = 0;
  for (const run of runs) {
    const first = Math.max(from, start);
    const length = Math.min(run.end, end) - first;
    const kind = run.source === "sampled" ? "sampled" : "prompt";
    // A stream is the prompt of its next request, so only sampled tokens count from the start of their run.
    const offset = kind === "sampled" ? first - from : first;
    from = run.end;
    if (length <= 0) continue;
    const { sequence: sequenceId } = run;
    if (sequenceId === undefined) {
      throw new AppError("invariant", "A token of the training data is in no sampled sequence.");
    }
    const last = spans.at(-1);
    const isContinued = kind === "prompt" && last?.kind === kind && last.sequenceId === sequenceId;
    if (isContinued) spans.splice(-1, 1, { ...last, length: last.length + length });
    else spans.push({ kind, sequenceId, offset, length });
  }
  return spans;
}

/**
 * Splits data into `count` contiguous parts with about equal token counts, or fewer if there are fewer groups; a group is never split.
 * Each part gets one group, then further ones while their middle token falls within an even share of what remains.
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
