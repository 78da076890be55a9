/**
 * Presents an engine over token groups as one with a large vocabulary. Results are distributions over all ids: the log-prob of an id
 * is its group's minus the logarithm of the group's size, so losses, ratios, and gradients are exact. Temperature, top-k, and top-p
 * apply to groups.
 */

import type { ByteTable } from "../../../node/tokenizer/byteTable.ts";
import { createUniform } from "../../../shared/uniform.ts";
import type {
  Engine,
  EngineDatum,
  EngineModel,
  EngineSampleRequest,
  PromptScoreRequest,
  PromptScores,
  SampledSequence,
  TopToken,
} from "../engine.ts";
import { evaluateLoss } from "../losses.ts";
import { StopStringWatch } from "../stopStrings.ts";
import { memberOf, ownGroup, type TokenGroups } from "./tokenGroups.ts";

/** Separates the draw within a group from the draw of the group, which uses the same seed. */
const MEMBER_SEED = 0x9e3779b9;

interface Vocabulary {
  readonly groups: TokenGroups;
  readonly table: ByteTable;
}

/** `model` is the model presented to callers; the vocabulary of `inner` is the groups. */
export function createGroupedEngine(
  inner: Engine,
  model: EngineModel,
  vocabulary: Vocabulary,
): Engine {
  const { groups } = vocabulary;
  return {
    model,
    createAdapter: (options) => inner.createAdapter(options),
    optimStep: (adapter, params) => inner.optimStep(adapter, params),
    snapshot: (adapter) => inner.snapshot(adapter),
    exportAdapter: (source, withOptimizer) => inner.exportAdapter(source, withOptimizer),
    importAdapter: (bytes, withOptimizer) => inner.importAdapter(bytes, withOptimizer),
    importSnapshot: (bytes) => inner.importSnapshot(bytes),
    releaseAdapter: (adapter) => inner.releaseAdapter(adapter),
    releaseSnapshot: (snapshot) => inner.releaseSnapshot(snapshot),
    close: () => inner.close(),
    async forwardBackward(adapter, data, loss, forwardOnly) {
      const grouped = data.map((datum) => groupDatum(groups, datum));
      const outcome = await inner.forwardBackward(adapter, grouped, loss, forwardOnly);
      const logprobs = outcome.logprobs.map((own, at) =>
        shift(groups, own, data[at]?.targets ?? new Int32Array(), -1),
      );
      const sum = data.reduce(
        (total, datum, at) =>
          total + evaluateLoss(loss, datum, logprobs[at] ?? new Float32Array()).loss,
        0,
      );
      return { logprobs, metrics: { ...outcome.metrics, "loss:sum": sum } };
    },
    async sample(weights, request, signal) {
      const { topSampleLogprobs, stopIds } = request;
      const grouped = {
        ...request,
        prompt: groupsOf(groups, request.prompt),
        stopIds: stopIds.flatMap((id) => ownGroup(groups, id) ?? []),
        stopStrings: [],
        topSampleLogprobs: topSampleLogprobs > 0 ? groups.count : 0,
      };
      return chooseMembers(vocabulary, await inner.sample(weights, grouped, signal), request);
    },
    async scorePrompt(weights, request) {
      const { prompt, top, targets } = request;
      const scores = await inner.scorePrompt(weights, {
        ...request,
        prompt: groupsOf(groups, prompt),
        top: top > 0 ? groups.count : 0,
        targets: targets === null ? null : groupsOf(groups, targets),
      });
      return memberScores(groups, scores, request);
    },
  };
}

function groupDatum(groups: TokenGroups, datum: EngineDatum): EngineDatum {
  const { tokens, targets, logprobs } = datum;
  return {
    ...datum,
    tokens: groupsOf(groups, tokens),
    targets: groupsOf(groups, targets),
    logprobs: logprobs === null ? null : shift(groups, logprobs, targets, 1),
  };
}

/** Negative filler ids stay unchanged. */
function groupsOf({ groupOf }: TokenGroups, ids: Int32Array): Int32Array {
  return ids.map((id) => (id < 0 ? id : (groupOf[id] ?? 0)));
}

/** Converts log-probs of groups to log-probs of ids (`sign` -1), or the reverse (`sign` 1). */
function shift(
  { groupOf, logSizes }: TokenGroups,
  logprobs: Float32Array,
  ids: Int32Array,
  sign: 1 | -1,
): Float32Array {
  return logprobs.map(
    (logprob, at) => logprob + sign * (logSizes[groupOf[ids[at] ?? 0] ?? 0] ?? 0),
  );
}

/** Draws an id from each sampled group, and truncates the sample at stops, which are defined on ids. */
function chooseMembers(
  { groups, table }: Vocabulary,
  sampled: SampledSequence,
  { seed, temperature, stopIds, stopStrings, topSampleLogprobs: top }: EngineSampleRequest,
): SampledSequence {
  const uniform = createUniform(seed ^ MEMBER_SEED);
  const stops = new Set(stopIds);
  const watch = new StopStringWatch(stopStrings, table);
  const ids: number[] = [];
  let isStopped = false;
  for (const group of sampled.tokens) {
    const id = memberOf(groups, group, temperature === 0 ? 0 : uniform());
    ids.push(id);
    isStopped = stops.has(id) || (stopStrings.length > 0 && watch.push(id));
    if (isStopped) break;
  }
  const tokens = Int32Array.from(ids);
  const rows = sampled.topLogprobs?.slice(0, ids.length);
  return {
    ...sampled,
    tokens,
    logprobs: shift(groups, sampled.logprobs.slice(0, ids.length), tokens, -1),
    stopReason: isStopped ? "stop" : "length",
    topLogprobs: rows?.map((row) => topMembers(groups, row, top)),
  };
}

function memberScores(
  groups: TokenGroups,
  scores: PromptScores,
  { prompt, top, targets }: PromptScoreRequest,
): PromptScores {
  const { targetLogprobs } = scores;
  return {
    logprobs: shift(groups, scores.logprobs, prompt, -1),
    top: scores.top?.map((row) => (row === null ? null : topMembers(groups, row, top))) ?? null,
    targetLogprobs:
      targets === null || targetLogprobs === null
        ? null
        : targetLogprobs.map((logprob, at) => {
            const id = targets[at] ?? -1;
            return id < 0
              ? 0
              : (shift(groups, Float32Array.of(logprob), Int32Array.of(id), -1)[0] ?? 0);
          }),
  };
}

/** The most likely ids across all groups, with log-probs. */
function topMembers(
  groups: TokenGroups,
  row: readonly TopToken[],
  count: number,
): readonly TopToken[] {
  const { ids, starts, logSizes } = groups;
  return row
    .map(({ id: group, logprob }) => ({ group, logprob: logprob - (logSizes[group] ?? 0) }))
    .sort((a, b) => b.logprob - a.logprob || a.group - b.group)
    .slice(0, count)
    .flatMap(({ group, logprob }) => {
      const first = starts[group] ?? 0;
      const members = ids.subarray(first, Math.min(first + count, starts[group + 1] ?? 0));
      return Array.from(members, (id) => ({ id, logprob }));
    })
    .slice(0, count);
}
