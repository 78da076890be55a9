/**
 * Chooses the next task by the policy's estimated success at each: a Beta posterior per task. Old evidence fades because the policy
 * changes, and the prior comes from the other tasks of the split and from others who tried the task. `pools` mostly draws tasks that are
 * neither solved nor out of reach; `signal` draws by the expected variance of a group's rewards per token, since a group of equal rewards
 * has no gradient. Similar to prioritized level replay (Jiang et al. 2021, arXiv:2010.03934), with success in place of an error.
 */

import { groupBy } from "../../../shared/groupBy.ts";
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
import { createTaskSequence, type TaskItem, type TaskRef, type TaskSequence } from "./dataset.ts";

/** Share of earlier evidence kept at each visit. */
const MEMORY = 0.6;
/** Posterior mean at or above which a task is solved, or at or below which it is out of reach: eight of eight rollouts, or none. */
const SOLVED = 0.85;
const HARD = 0.15;
/** The same for untried tasks, judged by the rest of the split; stricter, because the evidence is indirect. */
const SPLIT_SOLVED = 0.95;
const SPLIT_HARD = 0.05;
/** How many rollouts the prior counts for. */
const PRIOR = 2;
/** How often each non-empty pool is drawn from. */
const POOL_WEIGHTS = { open: 0.85, hard: 0.1, solved: 0.05 } as const;

type Pool = keyof typeof POOL_WEIGHTS;

/** Outcome of one rollout of a task. */
export interface TriedTask extends TaskRef {
  /** From 0 to 1, where 1 is a full success. */
  readonly success: number;
  readonly tokens: number;
}

const NO_EVIDENCE: TaskEvidence = { successes: 0, failures: 0, tokens: 0, step: -1 };

/** A task with its precomputed names, which are compared often. */
interface NamedTask {
  readonly task: TaskRef;
  readonly name: string;
  readonly splitName: string;
}

/** A task's standing until the next outcomes. */
interface Standing extends NamedTask {
  readonly pool: Pool;
  /** Weight by which `signal` draws it. */
  readonly weight: number;
  /** The last step that trained it; -1 if none has. */
  readonly step: number;
}

/** What one step replaced. */
interface Observation {
  readonly step: number;
  readonly evidence: ReadonlyMap<string, TaskEvidence | undefined>;
  readonly drawn: ReadonlyMap<number, string>;
}

export interface CurriculumOptions extends Pick<Config, "seed" | "mix"> {
  readonly kind: "pools" | "signal";
  /** The same tasks in plain order. */
  readonly sequence: TaskSequence;
  readonly sha256: Sha256;
  /** How others fared in tasks, from 0 to 1 by name; absent when unknown. */
  readonly known?: ReadonlyMap<string, number>;
}

export class Curriculum {
  readonly #options: CurriculumOptions;
  readonly #tasks: readonly NamedTask[];
  readonly #evidence = new Map<string, TaskEvidence>();
  readonly #drawn = new Map<number, string>();
  readonly #byName: ReadonlyMap<string, NamedTask>;
  readonly #known: ReadonlyMap<string, number>;
  /** Standings of all tasks in plain order; null after new outcomes until the next draw. */
  #standings: readonly Standing[] | null = null;
  /** The values that the last observation replaced. */
  #before: Observation = { step: -1, evidence: new Map(), drawn: new Map() };

  constructor(options: CurriculumOptions, state: CurriculumState | null = null) {
    this.#options = options;
    const { known } = options;
    this.#known = (state === null ? known : readKnown(state.known ?? "")) ?? new Map();
    this.#tasks = allTasks(options);
    this.#byName = new Map(this.#tasks.map((own) => [own.name, own]));
    for (const [name, own] of readEvidence(state?.tasks ?? "") ?? []) this.#evidence.set(name, own);
    for (const [at, name] of state?.drawn ?? []) this.#drawn.set(at, name);
  }

  get epochLength(): number {
    return this.#options.sequence.epochLength;
  }

  /** The task at a position: drawn at the first call and fixed from then on. Positions must be requested in order. */
  itemAt(at: number): TaskItem {
    const name = this.#drawn.get(at) ?? this.#draw(at);
    const task = this.#byName.get(name)?.task ?? this.#options.sequence.itemAt(at);
    const { environment, split, index } = task;
    const epoch = Math.floor(at / this.#options.sequence.epochLength);
    return { environment, split, index, position: at, epoch };
  }

  /** Records the outcomes of a step whose tasks end before `cursor`. Call before drawing any task for the weights after it. */
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

  /** The state after `step` completed steps, with the drawn tasks of issued positions. */
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

  /** Number of tasks in each pool; `new` counts tasks that were never tried. */
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
    // With weights, each environment keeps its share: draw only among its tasks.
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

  /** Draws from a pool the task trained longest ago; untried tasks come first, in plain order. */
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

  /** Expected success before the policy tried the task: the mean of the split's and the others' success, or whichever is known. */
  #prior({ name, splitName }: NamedTask, means: ReadonlyMap<string, number>): number {
    const ofSplit = means.get(splitName);
    const ofOthers = this.#known.get(name);
    return ((ofSplit ?? ofOthers ?? 0.5) + (ofOthers ?? ofSplit ?? 0.5)) / 2;
  }

  /** Mean success per split, with a Beta(1, 1) prior. */
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

  /** Mean tokens per rollout over the tried tasks; 1 before any was tried. */
  #meanTokens(): number {
    const known = [...this.#evidence.values()];
    const total = known.reduce((sum, { tokens }) => sum + tokens, 0);
    return total > 0 ? total / known.length : 1;
  }

  /** In [0, 1), determined by seed and position. */
  #uniform(at: number, word: string): number {
    const digest = this.#options.sha256(`curriculum|${this.#options.seed}|${at}|${word}`);
    return Number.parseInt(digest.slice(0, 12), 16) / 16 ** 12;
  }
}

/** Each task once, in plain order; with weights, in that of its environment, because the common sequence repeats and skips tasks. */
function allTasks({ sequence, mix, seed, sha256 }: CurriculumOptions): readonly NamedTask[] {
  const byEnvironment = groupBy(sequence.sources, ({ environment }) => environment).values();
  const sequences =
    mix === "weighted"
      ? [...byEnvironment].map((own) => createTaskSequence(own, seed, "proportional", sha256))
      : [sequence];
  return sequences.flatMap(({ epochLength, itemAt }) =>
    Array.from({ length: epochLength }, (_, i) => named(itemAt(i))),
  );
}

function named(task: TaskRef): NamedTask {
  return { task, name: taskId(task), splitName: `${task.environment}:${task.split}` };
}

/** The first one among equals. */
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

/** Expected success and pool of a tried task, with a Beta(1, 1) prior. */
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

/** E[p (1 - p)] under the posterior Beta(a, b): ab / ((a + b)(a + b + 1)). `mean` is the prior mean. */
function expectedVariance({ successes, failures }: TaskEvidence, mean: number): number {
  const [a, b] = [PRIOR * mean + successes, PRIOR * (1 - mean) + failures];
  return (a * b) / ((a + b) * (a + b + 1));
}

/** The first index where the cumulative weight exceeds the fraction `uniform` of the total. */
function drawByWeight(weights: readonly number[], uniform: number): number {
  let left = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [place, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return place;
  }
  return weights.length - 1;
}
