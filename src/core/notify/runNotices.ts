/** Makes notices of what a run reports: its alarms, and how it ended. */

import { formatCost, formatQuantity, formatReward, formatRounded } from "../../shared/format.ts";
import type { RunEnding } from "../../shared/runFile.ts";
import type { AlarmId, Config } from "../config/fields/schema.ts";
import { cellName, type StoredResult } from "../runFolder/evaluationLog.ts";
import { runSentence } from "../runs/runSentence.ts";
import { BUDGET_ENDS } from "../training/run/budgets.ts";
import type { ProgressEvent } from "../training/run/progress.ts";
import type { UsedTotal } from "../usage/prices.ts";
import type { Notice, NoticeFacts } from "./notice.ts";

/** What is known of the run by now. */
interface KnownRun {
  readonly name: string;
  readonly model: string;
  readonly isEvaluation: boolean;
  /** Completed steps; null before it trains. */
  readonly step: number | null;
  readonly totalSteps: number | null;
  readonly reward: number | null;
  readonly loss: number | null;
  readonly used: UsedTotal | null;
  /** What became of the reward, in a sentence without a period. */
  readonly trend: string | null;
  /** Of the last evaluation of an evaluation by itself. */
  readonly results: readonly StoredResult[];
}

export interface EndedRun {
  readonly outcome: keyof typeof ENDS;
  /** Absent for a run that came to the end of its plan. */
  readonly ending?: Pick<RunEnding, "code" | "message"> | undefined;
}

const BUDGET_ALARMS: ReadonlySet<AlarmId> = new Set(["cost_budget", "token_budget", "time_budget"]);
const ENDS = {
  done: ["end", "is done"],
  stopped: ["end", "was stopped"],
  failed: ["failure", "failed"],
} as const;
const MAX_RESULTS = 4;

export class RunNotices {
  readonly #settings: () => Pick<Config, "model_name" | "max_cost_usd">;
  #run: KnownRun | null = null;
  /** True from the first step or rollout on: an end before that is none. */
  #hasBegun = false;

  /** `settings` are those in force. */
  constructor(settings: () => Pick<Config, "model_name" | "max_cost_usd">) {
    this.#settings = settings;
  }

  /** The run has its folder. */
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
      results: [],
    };
  }

  /** Null for what is no news. */
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
        const { step, totalSteps, rewardMean: reward, used } = event;
        const isClear = event.trend.direction !== "unclear";
        const trend = isClear ? runSentence({ trend: event.trend, heldOut: null }) : null;
        this.#learn({ step: step + 1, totalSteps, reward, used, trend });
        return null;
      }
      case "batch-finished": {
        const { step, totalSteps, loss, used } = event;
        this.#learn({ step: step + 1, totalSteps, loss, used });
        return null;
      }
      case "evaluated":
        if (event.purpose === "asked") this.#learn({ results: event.results });
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

  /** Null where nothing had begun that could end: a run that was done before, or one that did not start. */
  onEnd({ outcome, ending }: EndedRun): Notice | null {
    const run = this.#run;
    if (run === null || (outcome !== "failed" && !this.#hasBegun)) return null;
    const code = ending?.code ?? "stopped";
    const isBudget = BUDGET_ENDS.some((each) => each === code);
    // What ended early by itself, and neither by its plan nor by its user, was given up.
    const isGivenUp = outcome === "stopped" && code !== "stopped" && !isBudget;
    const end = outcome === "failed" || isGivenUp ? "failed" : outcome;
    const [event, how] = isBudget ? (["budget", "ended"] as const) : ENDS[end];
    const events: Notice["events"] = isBudget ? ["budget", "end"] : [event];
    const after = run.step === null ? "" : ` after ${formatQuantity(run.step, "step")}`;
    const title = `${subject(run)} ${how}${after}.`;
    const why = code === "stopped" ? "" : (ending?.message ?? "");
    const facts = this.#facts(run, { outcome: end });
    const detail = joined([why, endText(run), usedText(facts)]);
    const key = isBudget ? "budget" : end;
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

  #facts(run: KnownRun, own: Partial<NoticeFacts>): NoticeFacts {
    return {
      run: run.name,
      model: run.model,
      outcome: null,
      step: run.step,
      total_steps: run.totalSteps,
      reward: run.reward,
      loss: run.loss,
      tokens: run.used?.tokens ?? null,
      cost_usd: run.used?.costUsd ?? null,
      max_cost_usd: this.#settings().max_cost_usd,
      alarm: null,
      severity: null,
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

function endText({ isEvaluation, loss, results, reward, trend }: KnownRun): string {
  if (isEvaluation) {
    const shown = results.slice(0, MAX_RESULTS).map((each) => {
      return `${cellName(each)}: mean reward ${formatReward(each.rewardMean)}`;
    });
    return shown.length === 0 ? "" : `${shown.join("; ")}.`;
  }
  if (loss !== null) return `Loss ${formatReward(loss)} in the last step.`;
  const last = reward === null ? "" : `Mean reward ${formatReward(reward)} in the last step.`;
  return joined([trend === null ? "" : `${trend}.`, last]);
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
