/** Creates notices from a run's events: alarms, and how it ended. */

import { formatCost, formatQuantity, formatReward, formatRounded } from "../../shared/format.ts";
import type { RunEnding } from "../../shared/runFile.ts";
import type { Trend } from "../../shared/trend.ts";
import type { AlarmId, Config } from "../config/fields/schema.ts";
import { cellName, type EvaluationEntry } from "../runFolder/evaluationLog.ts";
import { trainingTemperatures } from "../runFolder/trainingTemperatures.ts";
import { heldOutRewards, runSentence } from "../runs/runSentence.ts";
import { BUDGET_ENDS } from "../training/run/budgets.ts";
import type { ProgressEvent } from "../training/run/progress.ts";
import type { UsedTotal } from "../usage/prices.ts";
import { oneLine } from "../util/textEdges.ts";
import type { Notice, NoticeFacts, NoticeResult } from "./notice.ts";

/** The current state of the run. */
interface KnownRun {
  readonly name: string;
  readonly model: string;
  readonly isEvaluation: boolean;
  /** Completed steps; null before training. */
  readonly step: number | null;
  readonly totalSteps: number | null;
  readonly reward: number | null;
  readonly loss: number | null;
  readonly used: UsedTotal | null;
  /** Trend of the mean reward; null if unclear. */
  readonly trend: Trend | null;
  /** The first and the newest evaluation of a training run, or all models of a standalone evaluation. */
  readonly evaluations: readonly Evaluated[];
}

type Evaluated = Pick<EvaluationEntry, "model" | "results" | "step">;

/** Configuration needed for messages. */
type NoticeSettings = Pick<Config, "environments" | "max_cost_usd" | "model_name">;

export interface EndedRun {
  readonly outcome: keyof typeof ENDS;
  /** Absent if the run completed its plan. */
  readonly ending?: Pick<RunEnding, "code" | "message"> | undefined;
}

const BUDGET_ALARMS: ReadonlySet<AlarmId> = new Set(["cost_budget", "token_budget", "time_budget"]);
const ENDS = {
  done: ["end", "is done"],
  stopped: ["end", "was stopped"],
  failed: ["failure", "failed"],
} as const;
/** Maximum number of models in a standalone evaluation's message. */
const MAX_MODELS = 8;
const MAX_RESULTS = 4;

export class RunNotices {
  readonly #settings: () => NoticeSettings;
  #run: KnownRun | null = null;
  /** True from the first step or rollout. An earlier end is not reported. */
  #hasBegun = false;

  /** `settings` returns the current settings. */
  constructor(settings: () => NoticeSettings) {
    this.#settings = settings;
  }

  /** Called when the run has its folder. */
  claimed(name: string): void {
    const { model_name: model } = this.#settings();
    this.#run ??= {
      name,
      model,
      isEvaluation: false,
      step: null,
      totalSteps: null,
      reward: null,
      loss: null,
      used: null,
      trend: null,
      evaluations: [],
    };
  }

  /** Null for events that are not reported. */
  onProgress(event: ProgressEvent): Notice | null {
    switch (event.kind) {
      case "started":
        this.#hasBegun = true;
        this.claimed(event.name);
        this.#learn({ step: event.step, totalSteps: event.totalSteps });
        return null;
      case "evaluation-started":
        this.#hasBegun = true;
        this.claimed(event.name);
        this.#learn({ isEvaluation: true });
        return null;
      case "step-finished": {
        const { step, totalSteps, decidingReward: reward, used } = event;
        const trend = event.trend.direction === "unclear" ? null : event.trend;
        this.#learn({ step: step + 1, totalSteps, reward, used, trend });
        return null;
      }
      case "batch-finished": {
        const { step, totalSteps, loss, used } = event;
        this.#learn({ step: step + 1, totalSteps, loss, used });
        return null;
      }
      case "evaluated":
        this.#evaluated(event);
        return null;
      case "evaluation-ended":
        this.#learn({ used: event.used });
        return null;
      case "ended":
        this.#learn({ step: event.step, used: event.used });
        return null;
      case "alarm":
        return this.#run === null ? null : this.#alarm(event, this.#run);
      default:
        return null;
    }
  }

  /** Null if nothing had begun: a run that was already complete, or one that did not start. */
  onEnd({ outcome, ending }: EndedRun): Notice | null {
    const run = this.#run;
    if (run === null || (outcome !== "failed" && !this.#hasBegun)) return null;
    const code = ending?.code ?? "stopped";
    const isBudget = BUDGET_ENDS.some((each) => each === code);
    const [event, how] = isBudget ? (["budget", "ended"] as const) : ENDS[outcome];
    const events: Notice["events"] = isBudget ? ["budget", "end"] : [event];
    const after = run.step === null ? "" : ` after ${formatQuantity(run.step, "step")}`;
    const title = `${subject(run)} ${how}${after}.`;
    const why = code === "stopped" ? "" : oneLine(ending?.message ?? "");
    const facts = this.#facts(run, { outcome });
    const heldOut = heldOutRewards(run.evaluations, trainingTemperatures(this.#settings()));
    const detail = run.isEvaluation
      ? [why, ...modelLines(run), usedText(facts)].filter((line) => line !== "").join("\n")
      : joined([why, endText(run, heldOut), usedText(facts)]);
    const key = isBudget ? "budget" : outcome;
    return { events, key, isEnd: true, topic: `${how}${after}`, title, detail, facts };
  }

  #alarm(event: Extract<ProgressEvent, { kind: "alarm" }>, run: KnownRun): Notice {
    const { id, seen, meaning, severity, step } = event;
    const isBudget = BUDGET_ALARMS.has(id);
    const facts = this.#facts(run, { alarm: id, severity, step: step + 1 });
    const title = `${subject(run)}, step ${step + 1}: ${event.title}.`;
    const detail = joined([seen, meaning, usedText(facts)]);
    const events: Notice["events"] = [isBudget ? "budget" : "alarm"];
    return { events, key: id, isEnd: false, topic: event.title, title, detail, facts };
  }

  #evaluated({
    step,
    model,
    purpose,
    results,
    baseline,
  }: Extract<ProgressEvent, { kind: "evaluated" }>) {
    const entry = { step, model, results };
    if (purpose === "asked") {
      this.#learn({ evaluations: [...(this.#run?.evaluations ?? []), entry] });
      return;
    }
    // The first evaluation may have been before a resume.
    const first = baseline === null ? [] : [{ step: step - 1, results: baseline }];
    this.#learn({ evaluations: [...first, entry] });
  }

  #facts(run: KnownRun, own: Partial<NoticeFacts>): NoticeFacts {
    const results = resultsOf(run);
    const [only] = run.isEvaluation && results.length === 1 ? results : [];
    return {
      run: run.name,
      model: run.model,
      outcome: null,
      step: run.step,
      total_steps: run.totalSteps,
      reward: only?.reward ?? run.reward,
      loss: run.loss,
      tokens: run.used?.tokens ?? null,
      cost_usd: run.used?.costUsd ?? null,
      max_cost_usd: this.#settings().max_cost_usd,
      alarm: null,
      severity: null,
      results,
      ...own,
    };
  }

  #learn(news: Partial<KnownRun>): void {
    if (this.#run !== null) this.#run = { ...this.#run, ...news };
  }
}

function subject({ name, model, isEvaluation }: KnownRun): string {
  return `${isEvaluation ? "Evaluation" : "Run"} ${name} (${model})`;
}

function endText(
  { loss, reward, trend }: KnownRun,
  heldOut: ReturnType<typeof heldOutRewards>,
): string {
  const sentence = runSentence({ trend, heldOut });
  const learned = sentence === null ? "" : `${sentence}.`;
  if (loss !== null) return joined([`Loss ${formatReward(loss)} in the last step.`, learned]);
  const last = reward === null ? "" : `Mean reward ${formatReward(reward)} in the last step.`;
  return joined([learned, last]);
}

/** One line per model: `base, Owner/Game test greedy: mean reward 0.50; Owner/Game test temperature 1: mean reward 0.45.` */
function modelLines({ evaluations }: KnownRun): readonly string[] {
  const shown = evaluations.slice(0, MAX_MODELS).map(({ model, results }) => {
    const cells = results.slice(0, MAX_RESULTS).map((each) => {
      return `${cellName(each)}: mean reward ${formatReward(each.rewardMean)}`;
    });
    return `${model === undefined ? "" : `${model.name}, `}${cells.join("; ")}.`;
  });
  const left = evaluations.length - shown.length;
  return left === 0 ? shown : [...shown, `And ${formatQuantity(left, "more model")}.`];
}

/** For a training run, only the newest evaluation. */
function resultsOf({ isEvaluation, evaluations }: KnownRun): readonly NoticeResult[] {
  const newest = isEvaluation ? evaluations : evaluations.slice(-1);
  return newest.flatMap(({ model, results }) =>
    results.map(({ environment, split, temperature, rewardMean: reward }) => ({
      model: model?.name ?? null,
      environment,
      split,
      temperature,
      reward,
    })),
  );
}

/** `1.2M tokens, $3.10 of $20.00.` */
function usedText({ tokens, cost_usd: cost, max_cost_usd: budget }: NoticeFacts): string {
  if (tokens === null || tokens === 0) return "";
  const limit = budget === null ? "" : ` of ${formatCost(budget)}`;
  const paid = cost === null ? "" : `, ${formatCost(cost)}${limit}`;
  return `${formatRounded(tokens)} tokens${paid}.`;
}

function joined(sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
