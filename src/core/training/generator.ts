/**
 * Samples the groups that the steps of a run train, up to `max_steps_off_policy` steps ahead: after `s` steps it issues, with the current
 * weights, the groups of step `s + max_steps_off_policy`. With 0, the data is on-policy.
 */

import { formatQuantity } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { Config } from "../config/fields/schema.ts";
import { AppError } from "../errors.ts";
import type { CurriculumState, RunState } from "../runFolder/state.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { GroupQueue, type IssuedBatch, type TakenBatch } from "./generation/groupQueue.ts";
import { takeWithSignal } from "./generation/refill.ts";
import { SamplerSaves } from "./generation/samplerSaves.ts";
import { type GroupKey, StoredGroups } from "./generation/storedGroups.ts";
import type { RunContext } from "./run/context.ts";
import type { Policy } from "./run/policy.ts";
import { report } from "./run/report.ts";
import { knownSuccess, taskOutcomes } from "./step/knownSuccess.ts";
import type { LoopPosition } from "./step/loopPosition.ts";
import type { IssuedAhead } from "./step/stepSource.ts";
import { Curriculum } from "./tasks/curriculum.ts";
import { itemsFrom, type TaskItem, type TaskSequence } from "./tasks/dataset.ts";
import type { ScoredGroup } from "./update/groups.ts";

type NextStep = Pick<LoopPosition, "step" | "cursor">;

const NOTHING_ISSUED: IssuedAhead = { pending: [], samplers: [] };

/** The step that a task belongs to when every step takes a whole batch and `step` starts with the task at `cursor`. */
function stepAt(position: number, { step, cursor }: NextStep, config: Config): number {
  return step + Math.floor((position - cursor) / config.batch_size);
}

export class Generator {
  readonly #stored: StoredGroups | null;
  readonly #samplers: SamplerSaves;
  readonly #queue: GroupQueue;
  readonly #sequence: TaskSequence;
  /** Null when tasks come in plain order. */
  #curriculum: Curriculum | null = null;
  #policy: Policy | null = null;

  private constructor(context: RunContext, stored: StoredGroups | null) {
    this.#stored = stored;
    this.#samplers = new SamplerSaves(context.services, stored !== null);
    this.#queue = new GroupQueue(stored);
    this.#sequence = context.sequence;
  }

  /** @throws AppError `disk` */
  static async open(context: RunContext): Promise<Generator> {
    if (context.config.max_steps_off_policy > 0) {
      return new Generator(context, await StoredGroups.open(context));
    }
    await StoredGroups.remove(context);
    return new Generator(context, null);
  }

  /**
   * Opens the sampler of the current weights, and reissues the groups that were pending at `start` with the weights they were issued for.
   * @throws AppError `tinker-*`
   */
  async start(context: RunContext, start: LoopPosition): Promise<void> {
    const { pending, samplers } =
      this.#stored === null ? NOTHING_ISSUED : (start.issued ?? NOTHING_ISSUED);
    await this.#openCurriculum(context, start.issued?.curriculum ?? null);
    const policies = new Map<number, Policy>();
    for (const saved of samplers) {
      const policy = await this.#samplers.reopen(saved);
      if (policy !== null) policies.set(saved.version, policy);
    }
    const newest = policies.get(samplers.at(-1)?.version ?? -1);
    if (newest === undefined) this.setWeights(await this.saveSampler(start.step), start);
    else this.#policy = newest;
    await this.#reportDiscarded(context, start);
    await this.#issueAgain(context, start, { pending, samplers }, policies);
  }

  async #reportDiscarded({ reporting }: RunContext, { step }: LoopPosition): Promise<void> {
    const groups = this.#stored?.discarded ?? 0;
    if (groups === 0) return;
    const message = `loss_fn: stable_reinforce trains only on samples of the current session, so ${formatQuantity(groups, "finished group")} of the session before ${groups === 1 ? "is" : "are"} sampled again.`;
    await report(reporting, {
      step,
      level: "info",
      kind: "groups-discarded",
      message,
      data: { groups },
    });
  }

  async #issueAgain(
    context: RunContext,
    start: LoopPosition,
    { pending, samplers }: IssuedAhead,
    policies: ReadonlyMap<number, Policy>,
  ): Promise<void> {
    const isStepKnown = this.#isStepKnown(context);
    // A run that used `refill` until now may have pending rows that are not whole batches.
    const stepOf = ({ position }: TaskItem) =>
      isStepKnown ? stepAt(position, start, context.config) : start.step;
    for (const row of pending) {
      const { groups, position, version, settings_hash: settingsHash } = row;
      const all = Array.from({ length: groups }, (_, i) => this.#tasks.itemAt(position + i));
      const policy = policies.get(version) ?? this.#replacementFor(version, samplers);
      for (const [step, items] of groupBy(all, stepOf)) {
        const batch = { step, isStepKnown, items, policy, settingsHash };
        if (!policies.has(version)) await this.#reportLost(context, batch);
        this.#queue.issue(context, batch);
      }
    }
  }

  async #openCurriculum(context: RunContext, state: CurriculumState | null): Promise<void> {
    const { curriculum: kind, mix, seed } = context.config;
    if (kind === "none") return;
    const { sha256 } = context.ports;
    // A resumed run keeps what was known when it first started.
    const known = state === null ? await knownSuccess(context) : new Map<string, number>();
    const options = { kind, mix, seed, sequence: this.#sequence, sha256, known };
    this.#curriculum = new Curriculum(options, state);
  }

  get #tasks(): Pick<TaskSequence, "epochLength" | "itemAt"> {
    return this.#curriculum ?? this.#sequence;
  }

  /** Passes a step's results to the curriculum, before anything is issued at `next` with the weights after the step. */
  observe(context: RunContext, next: NextStep, groups: readonly ScoredGroup[]): void {
    this.#curriculum?.observe(next.step - 1, next.cursor, taskOutcomes(context, groups));
  }

  /** How many tasks are solved, open, out of reach and untried; null without a curriculum. */
  get pools(): Curriculum["pools"] | null {
    return this.#curriculum?.pools ?? null;
  }

  /** With `refill`, the rewards decide how many of the groups issued ahead a step takes. */
  #isStepKnown({ config }: RunContext): boolean {
    return !config.refill || this.#stored === null;
  }

  /** The current weights under the version of a sampler that no longer exists, so that stored groups of that version stay valid. */
  #replacementFor(version: number, samplers: IssuedAhead["samplers"]): Policy {
    const saved = samplers.find((sampler) => sampler.version === version);
    const updates = saved?.optimizer_updates ?? this.policy.updates;
    return { ...this.policy, version, updates };
  }

  /** Warns about groups that must be sampled without the sampler they were issued for. */
  async #reportLost(
    { reporting }: RunContext,
    { step, items, policy: { version }, settingsHash }: IssuedBatch,
  ): Promise<void> {
    const isStored = ({ position }: TaskItem) =>
      this.#stored?.has({ position, version, settingsHash }) === true;
    const groups = items.filter((item) => !isStored(item)).length;
    if (groups === 0) return;
    const message = `The service no longer has the sampler of step ${version}: ${formatQuantity(groups, "group")} of step ${step + 1} must be sampled with the current weights.`;
    const data = { version, groups };
    await report(reporting, { step, level: "warn", kind: "sampler-gone", message, data });
  }

  /** True for a finished group that waits for a step at or after `cursor`. */
  isWaiting(group: Pick<GroupKey, "position" | "version">, { cursor }: Pick<NextStep, "cursor">) {
    return group.position >= cursor && this.#stored?.holds(group) === true;
  }

  /** The policy of the current weights. */
  get policy(): Policy {
    if (this.#policy === null) throw new AppError("invariant", "The run has no sampler yet.");
    return this.#policy;
  }

  /** Submits a save of the weights after `step` steps for sampling. @throws AppError `tinker-*` */
  saveSampler(step: number): Promise<SamplingClient> {
    return this.#samplers.save(step);
  }

  /** Sets the weights that sample all groups issued from now on. */
  setWeights(
    sampler: SamplingClient,
    position: Pick<LoopPosition, "step" | "optimizerUpdates">,
  ): void {
    this.#policy = this.#samplers.policyOf(sampler, position);
  }

  /** Plays the issued groups of the next `steps` steps; others wait. */
  play({ config }: RunContext, steps: number): void {
    this.#queue.play(Math.max(0, steps) * config.batch_size);
  }

  /**
   * Issues the groups due before `step`, whose first task is at `cursor`; {@link play} starts them. With `refill`, as many groups wait as
   * the steps up to `step + max_steps_off_policy` train at least, so that no group lags behind by more than that.
   */
  issue(context: RunContext, at: NextStep, settingsHash: string): void {
    const { config, totalSteps } = context;
    const { step, cursor } = at;
    const stepsLeft = (totalSteps ?? Number.POSITIVE_INFINITY) - step;
    const steps = Math.min(config.max_steps_off_policy + 1, stepsLeft);
    if (config.refill) {
      this.#issueUpTo(steps * config.batch_size, context, at, settingsHash);
      return;
    }
    for (;;) {
      const position = this.#nextPosition(at);
      const next = stepAt(position, at, config);
      const end = cursor + (next - step + 1) * config.batch_size;
      const items =
        next >= step + steps ? [] : itemsFrom(this.#tasks, position, end - position, config);
      if (items.length === 0) return;
      const batch = { step: next, isStepKnown: true, items, policy: this.policy, settingsHash };
      this.#queue.issue(context, batch);
    }
  }

  /** Issues further groups until `count` are waiting or the data ends. */
  #issueUpTo(count: number, context: RunContext, at: NextStep, settingsHash: string): void {
    const { step } = at;
    const missing = count - this.#queue.waiting.length;
    const items = itemsFrom(this.#tasks, this.#nextPosition(at), missing, context.config);
    if (items.length === 0) return;
    const isStepKnown = this.#isStepKnown(context);
    this.#queue.issue(context, { step, isStepKnown, items, policy: this.policy, settingsHash });
  }

  /**
   * Reads the groups of a step into memory once all have finished, before the step takes them. False while its groups are not known yet.
   * @throws as {@link GroupQueue.take}
   */
  async read(step: number): Promise<boolean> {
    const own = this.#queue.waiting.filter(({ batch }) => batch.isStepKnown && batch.step === step);
    if (own.length === 0) return false;
    await this.#queue.read(own);
    return true;
  }

  /** Position of the first task that has not been issued. */
  #nextPosition({ cursor }: NextStep): number {
    const newest = this.#queue.groups.at(-1);
    return newest === undefined ? cursor : newest.key.position + 1;
  }

  /** Waits for the groups of a step. @throws as {@link GroupQueue.take} */
  async take(context: RunContext, at: NextStep, settingsHash: string): Promise<TakenBatch> {
    const { step } = at;
    if (!context.config.refill) {
      const own = this.#queue.waiting.filter(({ batch }) => batch.step === step);
      return this.#queue.take(context, step, own.length);
    }
    return takeWithSignal(context, step, (count) => {
      // The weights are still those of the step, so missing groups can be issued with them.
      this.#issueUpTo(count, context, at, settingsHash);
      return this.#queue.take(context, step, count);
    });
  }

  /** Call when the groups of a step are trained. */
  release(step: number): void {
    this.#queue.release(step);
  }

  /** What a resume needs to issue the waiting groups again. Groups whose sampler ends with its session are left out. */
  issued(step: number): IssuedAhead {
    const samplers = new Map<number, IssuedAhead["samplers"][number]>();
    const waiting = this.#queue.groups;
    for (const policy of [...waiting.map(({ batch }) => batch.policy), this.policy]) {
      const saved = this.#samplers.recordOf(policy);
      if (saved !== null) samplers.set(saved.version, saved);
    }
    const batches = [...groupBy(waiting, ({ batch }) => batch).values()];
    const pending = batches.flatMap((groups) => {
      const [first] = groups;
      if (first === undefined || !samplers.has(first.key.version)) return [];
      const { position, version, settingsHash: settings_hash } = first.key;
      return { position, groups: groups.length, version, settings_hash };
    });
    const ahead = { pending, samplers: [...samplers.values()] };
    if (this.#curriculum === null) return ahead;
    const isIssued = (at: number): boolean =>
      pending.some((row) => at >= row.position && at < row.position + row.groups);
    return { ...ahead, curriculum: this.#curriculum.stateAt(step, isIssued) };
  }

  /** Removes stored groups and samplers that neither this saved state nor the waiting groups need. @throws AppError `disk` */
  async tidy(reporting: RunContext["reporting"], { dataset, samplers }: RunState): Promise<void> {
    await this.#stored?.removeBefore(dataset.cursor);
    const needed = [...samplers, ...this.issued(this.policy.version).samplers];
    await this.#samplers.deleteBefore(this.policy.version, needed, reporting);
  }

  /** As {@link GroupQueue.close}. */
  close(): Promise<void> {
    return this.#queue.close();
  }
}
