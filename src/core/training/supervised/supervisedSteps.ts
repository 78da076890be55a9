/** Steps of supervised fine-tuning: a batch of examples and one cross-entropy update each. The next batch is sent while one trains. */

import { sum } from "../../../shared/mean.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import { type Example, trainedTokens } from "../../examples/example.ts";
import type { ExampleSet } from "../../examples/exampleSet.ts";
import { runPaths } from "../../runFolder/files/layout.ts";
import { readLines } from "../../runFolder/files/lineReader.ts";
import { FitHistory, fitMetrics } from "../../runFolder/metrics/fitMetrics.ts";
import { appendMetrics } from "../../runFolder/metrics/metrics.ts";
import { type MetricsTree, mergeMetrics } from "../../runFolder/metrics/metricsTree.ts";
import { buildSupervisedRow, type SupervisedFacts } from "../../runFolder/metrics/supervisedRow.ts";
import { isMetricsRow } from "../../runFolder/reader.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { TrainingClient } from "../../tinker/trainingClient.ts";
import type { Datum } from "../../tinker/wire/datum.ts";
import type { ForwardBackwardResult } from "../../tinker/wire/forwardBackwardProto.ts";
import { usedTotal } from "../../usage/prices.ts";
import { addTokens, type TokenUsage } from "../../usage/tokenUsage.ts";
import { UsageMeter } from "../../usage/usageMeter.ts";
import type { RunContext } from "../run/context.ts";
import { learningRateAt } from "../run/learningRate.ts";
import { meteredContext } from "../run/meteredContext.ts";
import { applyAlarmActions, StepAlarms } from "../step/alarms.ts";
import { budgetMetrics, progressOf, stepUsage } from "../step/gatherStepFacts.ts";
import { headlineMetrics, type LoopPosition, positionAfter } from "../step/loopPosition.ts";
import type { StepEnd } from "../step/step.ts";
import type { CompletedStep, StepOrder, StepSource } from "../step/stepSource.ts";
import { itemsFrom, type TaskItem, taskKeyOf } from "../tasks/dataset.ts";
import { buildDatum, type TrainingDatum } from "../update/datums.ts";
import { lossFactors } from "../update/lossNormalization.ts";
import { toTokenRecords } from "../update/tokenRecords.ts";
import { requireFinite } from "../update/trainerLogprobs.ts";
import { optimizerParameters } from "../update/trainStep.ts";

/** Number of recent steps behind the estimate of the remaining time. */
const ETA_STEPS = 9;

/** A batch whose update is in the service's queue. */
interface SentBatch {
  readonly items: readonly TaskItem[];
  readonly examples: readonly Example[];
  readonly data: readonly TrainingDatum[];
  readonly learningRate: number;
  readonly sentMs: number;
  /** Tokens of the batch's requests. */
  readonly tokens: TokenUsage;
  readonly results: Promise<BatchResults>;
}

interface BatchResults {
  readonly backward: ForwardBackwardResult;
  readonly serverMetrics: Readonly<Record<string, number>>;
  /** Null when not measured. */
  readonly heldOut: SupervisedFacts["heldOut"];
  readonly endedMs: number;
}

type NextPosition = Pick<LoopPosition, "step" | "cursor">;

export class SupervisedSteps implements StepSource {
  #next: Promise<SentBatch> | null = null;
  /** When the results of the last batch arrived. */
  #endedMs = 0;
  readonly #history = new FitHistory();
  readonly #alarms = new StepAlarms();
  #elapsedS: readonly number[] = [];

  issued() {
    return { pending: [], samplers: [] };
  }

  async start({ storage }: RunContext): Promise<void> {
    const { metrics } = runPaths(storage.folder);
    for await (const { value } of readLines(storage.fileSystem, metrics)) {
      if (isMetricsRow(value)) this.#history.add(value);
    }
  }

  async sampler({ services }: RunContext): Promise<SamplingClient> {
    return await services.client.ephemeralSampler();
  }

  get hasBegunNext(): boolean {
    return this.#next !== null;
  }

  isWaiting(): boolean {
    return false;
  }

  async tidy(): Promise<void> {}

  async close(): Promise<void> {
    const sent = await this.#next?.catch(() => undefined);
    await Promise.allSettled([sent?.results]);
  }

  /** @throws AppError `training-not-finite`, `tinker-*`, `disk` */
  async run(order: StepOrder): Promise<CompletedStep> {
    const { context, position } = order;
    const fromMs = context.ports.clock.monotonic();
    // A stop during the evaluation ends the step, but could not take back its update.
    if (this.#next === null) await order.extra;
    const sent = await (this.#next ?? sendBatch(context, position));
    this.#next = null;
    const completed = this.#complete(order, sent, fromMs);
    const next = { step: position.step + 1, cursor: position.cursor + sent.items.length };
    if (hasBatch(context, next) && order.mayFollow(completed)) {
      this.#next = sendBatch(context, next);
      // Awaited when its turn comes; until then a failure must not count as an unhandled rejection.
      this.#next.catch(() => undefined);
    }
    return completed;
  }

  async #complete(order: StepOrder, sent: SentBatch, fromMs: number): Promise<CompletedStep> {
    const { context, position } = order;
    const { clock } = context.ports;
    const tokens = sum(sent.data.map(({ mask }) => mask.length));
    const datums = sent.data.length;
    context.reporting.watch({ kind: "training", step: position.step, datums, tokens });
    const extra = await order.extra;
    const results = await sent.results;
    await storeExamples(context, position.step, sent, results.backward);
    const totalS = (clock.monotonic() - fromMs) / 1000;
    // A batch that was sent ahead trains after the one before it.
    const trainS = (results.endedMs - Math.max(this.#endedMs, sent.sentMs)) / 1000;
    this.#endedMs = results.endedMs;
    const times = { trainS, totalS, elapsedS: this.#elapsedS };
    const histories = { fit: this.#history, alarms: this.#alarms };
    const output = await recordBatch(order, sent, results, { ...times, extra }, histories);
    this.#elapsedS = [...this.#elapsedS, totalS].slice(-ETA_STEPS);
    const metrics = headlineMetrics(output);
    return { output, position: positionAfter(position, output), metrics };
  }
}

function examplesOf({ examples }: RunContext): ExampleSet {
  if (examples === undefined) throw new AppError("invariant", "The run has no examples.");
  return examples;
}

/** False after the last planned step. */
function hasBatch({ config, sequence, totalSteps }: RunContext, at: NextPosition): boolean {
  const isPlanned = totalSteps === null || at.step < totalSteps;
  return isPlanned && itemsFrom(sequence, at.cursor, 1, config).length > 0;
}

/** Submits a batch's update and the held-out measurement without awaiting either. */
async function sendBatch(context: RunContext, at: NextPosition): Promise<SentBatch> {
  const { config, control, ports, sequence, storage, totalSteps } = context;
  const { trained, heldOut } = examplesOf(context);
  const items = itemsFrom(sequence, at.cursor, config.batch_size, config);
  const examples = items.flatMap(({ index }) => trained[index] ?? []);
  const data = exampleDatums(examples);
  const learningRate = learningRateAt(config, at.step, totalSteps);
  control.withdrawSave();
  const meter = new UsageMeter();
  const { client } = meteredContext(context, meter).services;
  const sentMs = ports.clock.monotonic();
  const wire = weightedData(examples, data, config);
  const backward = client.forwardBackward(wire, SUPERVISED_LOSS);
  const optimized = client.optimStep(optimizerParameters(config, learningRate));
  const isDue = heldOut.length > 0 && isMeasured(context, at.step + 1);
  const measured = isDue ? heldOutLoss(client, heldOut) : Promise.resolve(null);
  // Count now: the service received the requests in any case, and the budgets are checked before another batch follows.
  const tokens = meter.usage.used;
  storage.usage.add({ for: "update", step: at.step, tokens });
  const results = Promise.all([backward, optimized, measured]).then(
    ([trainedBatch, { metrics }, held]): BatchResults => ({
      backward: trainedBatch,
      serverMetrics: { ...trainedBatch.metrics, ...metrics },
      heldOut: held,
      endedMs: ports.clock.monotonic(),
    }),
  );
  results.catch(() => undefined);
  return { items, examples, data, learningRate, sentMs, tokens, results };
}

/** Whether the held-out loss is measured after `completed` steps: after the first, at the interval, and after the last. */
export function isMeasured(
  { config, totalSteps }: Pick<RunContext, "config" | "totalSteps">,
  completed: number,
): boolean {
  return completed === 1 || completed % config.held_out_every === 0 || completed === totalSteps;
}

async function heldOutLoss(
  client: TrainingClient,
  examples: readonly Example[],
): Promise<SupervisedFacts["heldOut"]> {
  const data = exampleDatums(examples);
  const config = { loss_normalization: "token_sum", max_response_tokens: 1 } as const;
  const wire = weightedData(examples, data, config);
  const { outputs } = await client.forwardBackward(
    wire,
    SUPERVISED_LOSS,
    {},
    { forwardOnly: true },
  );
  const logprobs = outputs.map((output) => output.logprobs);
  requireFinite(null, logprobs);
  return { ...meanLoss(data, logprobs), examples: examples.length };
}

/** Stores each example as a rollout, with the model's log-probabilities of its tokens. */
async function storeExamples(
  { storage: { store } }: RunContext,
  step: number,
  { items, examples, data }: SentBatch,
  { outputs }: ForwardBackwardResult,
): Promise<void> {
  for (const [group, { record, source, index }] of examples.entries()) {
    const item = items[group];
    if (item === undefined) continue;
    const { split } = item;
    const taskKey = taskKeyOf({ ...item, environment: source, index });
    const place = { step, group, rollout: 0, taskKey, environment: source, split, index };
    await store.addRollout({ ...record, ...place, attempt: 0 });
  }
  const trainingUse = "trained" as const;
  const scores = examples.map((_, group) => ({ group, rollout: 0, advantage: null, trainingUse }));
  await store.addScores(step, scores);
  const logprobs = outputs.map((output) => output.logprobs);
  await store.addTokens(step, toTokenRecords(data, logprobs));
}

async function recordBatch(
  { context, position, secondsUntilNow }: StepOrder,
  { items, examples, data, learningRate, tokens }: SentBatch,
  { backward, serverMetrics, heldOut }: BatchResults,
  times: {
    readonly trainS: number;
    readonly totalS: number;
    readonly elapsedS: readonly number[];
    readonly extra: MetricsTree;
  },
  histories: { readonly fit: FitHistory; readonly alarms: StepAlarms },
): Promise<StepEnd> {
  const { reporting, storage, totalSteps } = context;
  const { step, cursor, optimizerUpdates, counters } = position;
  const logprobs = backward.outputs.map((output) => output.logprobs);
  const { loss, tokens: trainedTokens } = meanLoss(data, logprobs);
  requireFinite(loss, logprobs);
  const { trainS, totalS, elapsedS, extra } = times;
  const usage = { ...counters.tokens, cumulative: addTokens(counters.tokens.cumulative, tokens) };
  const seconds = secondsUntilNow();
  const used = stepUsage(context, counters.tokens, usage);
  const done = { taken: items.length, updates: 1, totalS, seconds };
  const progress = progressOf(context, { step, cursor, elapsedS, optimizerUpdates }, done);
  const bare = buildSupervisedRow({
    step,
    progress,
    learningRate,
    serverMetrics,
    usage: used,
    loss,
    examples: examples.length,
    datums: data.length,
    tokens: sum(data.map(({ mask }) => mask.length)),
    trainedTokens,
    heldOut,
    trainS,
    totalS,
    extra: { ...budgetMetrics(context, used, seconds), ...extra },
  });
  // Do not await in between: the row's totals cover exactly what precedes this line in the log.
  storage.usage.add({ for: "row", step, seconds });
  histories.fit.add(bare);
  const { fit } = histories.fit;
  const judged = await histories.alarms.evaluate(
    context,
    fit === null ? bare : { ...mergeMetrics(bare, fitMetrics(fit)), step },
  );
  const { row } = judged;
  await appendMetrics(storage.fileSystem, storage.folder, row);
  reporting.watch({
    kind: "batch-finished",
    step,
    totalSteps,
    loss,
    heldOutLoss: heldOut?.loss ?? null,
    fit,
    examples: examples.length,
    tokens: trainedTokens,
    learningRate,
    totalS,
    etaS: progress.etaS,
    used: usedTotal(used.total, used.prices),
  });
  applyAlarmActions(context, judged);
  return {
    row,
    updates: 1,
    isMasked: false,
    rollouts: [],
    cursor: progress.cursor,
    usage,
    totalS,
    seconds,
  };
}

const SUPERVISED_LOSS = "cross_entropy";

/** One datum per stream with a trained token; `group` is the index of the example. */
export function exampleDatums(examples: readonly Example[]): readonly TrainingDatum[] {
  return examples.flatMap(({ streams }, group) =>
    streams.flatMap(
      (ledger, stream) => buildDatum({ group, rollout: 0, stream, ledger }, [1]) ?? [],
    ),
  );
}

/** The data to send, with weights by `loss_normalization`. */
export function weightedData(
  examples: readonly Example[],
  data: readonly TrainingDatum[],
  config: Pick<Config, "loss_normalization" | "max_response_tokens">,
): readonly Datum[] {
  const counted = examples.map((example, group) => {
    return { group, rollout: 0, tokens: trainedTokens(example) };
  });
  const factors = lossFactors(data, counted, config);
  return data.map(({ tokens, targets, mask }, i) => {
    const weights = Float32Array.from(mask, (trained) => trained * (factors[i] ?? 1));
    return { tokens, lossInputs: { target_tokens: targets, weights } };
  });
}

interface MeanLoss {
  /** Mean of -log p over the trained tokens, in nats; null without any. */
  readonly loss: number | null;
  /** Trained tokens. */
  readonly tokens: number;
}

/** `logprobs` has one entry per target for each datum. */
function meanLoss(
  data: readonly Pick<TrainingDatum, "mask">[],
  logprobs: readonly ArrayLike<number>[],
): MeanLoss {
  let sum = 0;
  let tokens = 0;
  for (const [i, { mask }] of data.entries()) {
    const own = logprobs[i];
    for (let t = 0; t < mask.length; t += 1) {
      if (mask[t] !== 1) continue;
      sum -= own?.[t] ?? 0;
      tokens += 1;
    }
  }
  return { loss: tokens === 0 ? null : sum / tokens, tokens };
}
