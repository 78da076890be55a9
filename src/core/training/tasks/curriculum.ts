/**
 * Which task comes next, by what is known of the policy's success at each: a Beta posterior a task, of which old evidence fades, because the
 * policy changes, and whose prior is what is known of the other tasks of its split, and of others who have tried the task. `pools` draws mostly tasks that are neither solved nor out of reach; `signal` draws by the expected variance of a group's rewards per token, since
 * a group of equal rewards has no gradient. Like prioritized level replay (Jiang et al. 2021, arXiv:2010.03934), with the success itself in place of an error.
 */

import { taskId } from "../../../shared/taskId.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { Sha256 } from "../../ports.ts";
import {
  readEvidence,
  readKnown,
  type TaskEvidence,
  writeEvidence,
  writeKnown,
} from "../../runFolder/curriculumTexts.ts";
import type { CurriculumState } from "../../runFolder/state.ts";
import { groupBy } from "../../util/groupBy.ts";
import type { TaskItem, TaskRef, TaskSequence } from "./dataset.ts";

/** What is left of earlier evidence at each visit. */
const MEMORY = 0.6;
/** A posterior mean from which on a task is solved, and down to which it is out of reach: eight of eight, or none. */
const SOLVED = 0.85;
const HARD = 0.15;
/** The same for a task that was never tried, by the others of its split: these must be nearly sure. */
const SPLIT_SOLVED = 0.95;
const SPLIT_HARD = 0.05;
/** Rollouts that the prior of a task counts for. */
const PRIOR = 2;
/** How often each pool is drawn from, while it holds a task. */
const POOL_WEIGHTS = { open: 0.85, hard: 0.1, solved: 0.05 } as const;

type Pool = keyof typeof POOL_WEIGHTS;

/** What came of one rollout of a task. */
export interface TriedTask extends TaskRef {
  /** From 0, nothing, to 1, all that counts as success. */
  readonly success: number;
  readonly tokens: number;
}

const NO_EVIDENCE: TaskEvidence = { successes: 0, failures: 0, tokens: 0, step: -1 };

/** A task with its names, which many comparisons need. */
interface NamedTask {
  readonly task: TaskRef;
  readonly name: string;
  readonly splitName: string;
}

/** How a task stands until the next outcomes. */
interface Standing extends NamedTask {
  readonly pool: Pool;
  /** What `signal` draws it by. */
  readonly weight: number;
  /** The last step that trained it; -1 without. */
  readonly step: number;
}

/** What one step has changed. */
interface Observation {
  readonly step: number;
  readonly evidence: ReadonlyMap<string, TaskEvidence | undefined>;
  readonly drawn: ReadonlyMap<number, string>;
}

export interface CurriculumOptions extends Pick<Config, "seed" | "mix"> {
  readonly kind: "pools" | "signal";
  /** The same tasks in their plain order, each once an epoch. */
  readonly sequence: TaskSequence;
  readonly sha256: Sha256;
  /** How others fared in tasks, from 0 to 1 by name; absent = nothing is known. */
  readonly known?: ReadonlyMap<string, number>;
}

export class Curriculum {
  readonly #options: CurriculumOptions;
  readonly #tasks: readonly NamedTask[];
  readonly #evidence = new Map<string, TaskEvidence>();
  readonly #drawn = new Map<number, string>();
  readonly #byName: ReadonlyMap<string, NamedTask>;
  readonly #known: ReadonlyMap<string, number>;
  /** Of all tasks in their plain order; null from outcomes to the draw after them. */
  #standings: readonly Standing[] | null = null;
  /** What stood in the place of what the last observation has changed. */
  #before: Observation = { step: -1, evidence: new Map(), drawn: new Map() };

  constructor(options: CurriculumOptions, state: CurriculumState | null = null) {
    this.#options = options;
    const { sequence, known } = options;
    this.#known = (state === null ? known : readKnown(state.known ?? "")) ?? new Map();
    this.#tasks = Array.from({ length: sequence.epochLength }, (_, i) => named(sequence.itemAt(i)));
    this.#byName = new Map(this.#tasks.map((own) => [own.name, own]));
    for (const [name, own] of readEvidence(state?.tasks ?? "") ?? []) this.#evidence.set(name, own);
    for (const [at, name] of state?.drawn ?? []) this.#drawn.set(at, name);
  }

  get epochLength(): number {
    return this.#options.sequence.epochLength;
  }

  /** The task at a position: drawn when it is asked for first, from then on the same. Positions are asked for in order. */
  itemAt(at: number): TaskItem {
    const name = this.#drawn.get(at) ?? this.#draw(at);
    const task = this.#byName.get(name)?.task ?? this.#options.sequence.itemAt(at);
    const { environment, split, index } = task;
    const epoch = Math.floor(at / this.#options.sequence.epochLength);
    return { environment, split, index, position: at, epoch };
  }

  /** The outcomes of a step whose tasks end before `cursor`; before any task is drawn for the weights behind it. */
  observe(step: number, cursor: number, outcomes: readonly TriedTask[]): void {
    const evidence = new Map<string, TaskEvidence | undefined>();
    for (const [name, own] of groupBy(outcomes, taskId)) {
      const old = this.#evidence.get(name);
      evidence.set(name, old);
      this.#evidence.set(name, updated(old ?? NO_EVIDENCE, own, step));
    }
    this.#standings = null;
    const drawn = new Map([...this.#drawn].filter(([at]) => at < cursor));
    for (const at of drawn.keys()) this.#drawn.delete(at);
    this.#before = { step, evidence, drawn };
  }

  /** As of so many completed steps, with the tasks of these positions, which are issued. */
  stateAt(step: number, isIssued: (at: number) => boolean): CurriculumState {
    const evidence = new Map<string, TaskEvidence | undefined>(this.#evidence);
    const drawn = new Map(this.#drawn);
    if (this.#before.step >= step) {
      for (const [name, old] of this.#before.evidence) evidence.set(name, old);
      for (const [at, name] of this.#before.drawn) drawn.set(at, name);
    }
    return {
      tasks: writeEvidence(
        [...evidence].flatMap(([name, own]) => (own === undefined ? [] : [[name, own] as const])),
      ),
      drawn: [...drawn].filter(([at]) => isIssued(at)),
      known: this.#known.size === 0 ? undefined : writeKnown(this.#known),
    };
  }

  /** How many tasks are in each pool; `new` have never been tried. */
  get pools(): Readonly<Record<Pool | "new", number>> {
    const sizes = { open: 0, hard: 0, solved: 0, new: 0 };
    for (const { name } of this.#tasks) {
      const known = this.#evidence.get(name);
      sizes[known === undefined ? "new" : posterior(known).pool] += 1;
    }
    return sizes;
  }

  #draw(at: number): string {
    const { kind, mix, sequence } = this.#options;
    const waiting = new Set(this.#drawn.values());
    // With weights an environment keeps its share: what is drawn is one of its tasks.
    const only = mix === "weighted" ? sequence.itemAt(at).environment : null;
    this.#standings ??= this.#standingsNow();
    const all = this.#standings;
    const able = only === null ? all : all.filter(({ task }) => task.environment === only);
    const free = able.filter(({ name }) => !waiting.has(name));
    const choice = free.length > 0 ? free : able;
    const chosen = kind === "pools" ? this.#fromPools(choice, at) : this.#bySignal(choice, at);
    const name = chosen?.name ?? taskId(sequence.itemAt(kind === "pools" ? 0 : at));
    this.#drawn.set(at, name);
    return name;
  }

  #standingsNow(): readonly Standing[] {
    const means = this.#meansBySplit();
    const meanTokens = this.#meanTokens();
    return this.#tasks.map((own) => {
      const known = this.#evidence.get(own.name);
      const prior = this.#prior(own, means);
      const evidence = known ?? NO_EVIDENCE;
      const tokens = evidence.tokens > 0 ? evidence.tokens : meanTokens;
      return {
        ...own,
        pool: known === undefined ? poolOfUntried(prior) : posterior(known).pool,
        weight: expectedVariance(evidence, prior) / tokens,
        step: evidence.step,
      };
    });
  }

  /** Within a pool the one that was trained longest ago; those never tried first, in their plain order. */
  #fromPools(tasks: readonly Standing[], at: number): Standing | undefined {
    const pools: Record<Pool, Standing[]> = { open: [], hard: [], solved: [] };
    for (const task of tasks) pools[task.pool].push(task);
    const able = (Object.keys(POOL_WEIGHTS) as Pool[]).filter((pool) => pools[pool].length > 0);
    const weights = able.map((pool) => POOL_WEIGHTS[pool]);
    const pool = able[drawByWeight(weights, this.#uniform(at, "pool"))] ?? "open";
    return longestAgo(pools[pool]);
  }

  #bySignal(tasks: readonly Standing[], at: number): Standing | undefined {
    const weights = tasks.map(({ weight }) => weight);
    return tasks[drawByWeight(weights, this.#uniform(at, "task"))];
  }

  /** Expected success before the policy has tried the task: of its split and of others, half each where both are known. */
  #prior({ name, splitName }: NamedTask, means: ReadonlyMap<string, number>): number {
    const ofSplit = means.get(splitName);
    const ofOthers = this.#known.get(name);
    return ((ofSplit ?? ofOthers ?? 0.5) + (ofOthers ?? ofSplit ?? 0.5)) / 2;
  }

  /** Mean success by split, with the prior Beta(1, 1). */
  #meansBySplit(): ReadonlyMap<string, number> {
    const sums = new Map<string, { successes: number; all: number }>();
    for (const [name, { successes, failures }] of this.#evidence) {
      const splitName = this.#byName.get(name)?.splitName;
      if (splitName === undefined) continue;
      const own = sums.get(splitName) ?? { successes: 0, all: 0 };
      own.successes += successes;
      own.all += successes + failures;
      sums.set(splitName, own);
    }
    return new Map(
      [...sums].map(([split, { successes, all }]) => [split, (1 + successes) / (2 + all)]),
    );
  }

  /** Of a rollout, over the tasks that were tried; 1 before any was. */
  #meanTokens(): number {
    const known = [...this.#evidence.values()];
    const total = known.reduce((sum, { tokens }) => sum + tokens, 0);
    return total > 0 ? total / known.length : 1;
  }

  /** From 0 to below 1, by the seed and the position alone. */
  #uniform(at: number, word: string): number {
    const digest = this.#options.sha256(`curriculum|${this.#options.seed}|${at}|${word}`);
    return Number.parseInt(digest.slice(0, 12), 16) / 16 ** 12;
  }
}

function named(task: TaskRef): NamedTask {
  return { task, name: taskId(task), splitName: `${task.environment}:${task.split}` };
}

/** Of equal ones the first. */
function longestAgo(tasks: readonly Standing[]): Standing | undefined {
  return tasks.reduce<Standing | undefined>(
    (found, task) => (found === undefined || task.step < found.step ? task : found),
    undefined,
  );
}

function updated(old: TaskEvidence, outcomes: readonly TriedTask[], step: number): TaskEvidence {
  const successes = outcomes.reduce((sum, { success }) => sum + success, 0);
  const tokens = outcomes.reduce((sum, own) => sum + own.tokens, 0) / outcomes.length;
  return {
    successes: MEMORY * old.successes + successes,
    failures: MEMORY * old.failures + outcomes.length - successes,
    tokens,
    step,
  };
}

/** Of a task that was tried, with the prior Beta(1, 1): the expected success and the pool. */
export function posterior({ successes, failures }: Pick<TaskEvidence, "successes" | "failures">): {
  readonly mean: number;
  readonly pool: Pool;
} {
  const mean = (1 + successes) / (2 + successes + failures);
  return { mean, pool: mean >= SOLVED ? "solved" : mean <= HARD ? "hard" : "open" };
}

function poolOfUntried(mean: number): Pool {
  return mean >= SPLIT_SOLVED ? "solved" : mean <= SPLIT_HARD ? "hard" : "open";
}

/** E[p (1 - p)] under the posterior Beta(a, b): ab / ((a + b)(a + b + 1)). `mean` is that of the prior. */
function expectedVariance({ successes, failures }: TaskEvidence, mean: number): number {
  const [a, b] = [PRIOR * mean + successes, PRIOR * (1 - mean) + failures];
  return (a * b) / ((a + b) * (a + b + 1));
}

/** The first place at which the weights up to it exceed `uniform` of their sum. */
function drawByWeight(weights: readonly number[], uniform: number): number {
  let left = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [place, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return place;
  }
  return weights.length - 1;
}
