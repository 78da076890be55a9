/**
 * Samples the groups that the steps of a run train, up to `max_steps_off_policy` steps ahead: after `s` steps, with their weights, the
 * groups of step `s + max_steps_off_policy` are issued. 0 makes the data on-policy.
 */

import { formatQuantity } from "../../shared/format.ts";
import { AppError } from "../errors.ts";
import type { RunState } from "../runFolder/state.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { groupBy } from "../util/groupBy.ts";
import type { RunAlarms } from "./alarms.ts";
import type { RunContext } from "./context.ts";
import { batchAt, type TaskItem } from "./dataset.ts";
import { GroupQueue, type IssuedBatch, type TakenBatch } from "./groupQueue.ts";
import type { LoopPosition } from "./loopPosition.ts";
import type { Policy } from "./policy.ts";
import { report } from "./report.ts";
import { SamplerSaves } from "./samplerSaves.ts";
import { StoredGroups } from "./storedGroups.ts";

/** What a resume needs to issue the same groups again. */
export type IssuedAhead = Pick<RunState, "pending" | "samplers">;

const NOTHING_ISSUED: IssuedAhead = { pending: [], samplers: [] };

export class Generator {
  readonly #alarms: RunAlarms;
  readonly #stored: StoredGroups | null;
  readonly #samplers: SamplerSaves;
  readonly #queue: GroupQueue;
  #policy: Policy | null = null;

  private constructor(context: RunContext, alarms: RunAlarms, stored: StoredGroups | null) {
    this.#alarms = alarms;
    this.#stored = stored;
    this.#samplers = new SamplerSaves(context.services, stored !== null);
    this.#queue = new GroupQueue(stored);
  }

  /** @throws AppError `disk` */
  static async open(context: RunContext, alarms: RunAlarms): Promise<Generator> {
    const isAhead = context.config.max_steps_off_policy > 0;
    return new Generator(context, alarms, isAhead ? await StoredGroups.open(context) : null);
  }

  /**
   * Opens the sampler of the present weights, and issues the groups that were pending at `start` with the weights of then.
   * @throws AppError `tinker-*`
   */
  async start(context: RunContext, start: LoopPosition): Promise<void> {
    const { pending, samplers } =
      this.#stored === null ? NOTHING_ISSUED : (start.issued ?? NOTHING_ISSUED);
    const policies = new Map<number, Policy>();
    for (const saved of samplers) {
      const policy = await this.#samplers.reopen(saved);
      if (policy !== null) policies.set(saved.version, policy);
    }
    const newest = policies.get(samplers.at(-1)?.version ?? -1);
    if (newest === undefined) this.setWeights(await this.saveSampler(start.step), start);
    else this.#policy = newest;
    for (const [ahead, row] of pending.entries()) {
      const step = start.step + ahead;
      const { groups, position, version, settings_hash: settingsHash } = row;
      const items = Array.from({ length: groups }, (_, i) => context.sequence.itemAt(position + i));
      const policy = policies.get(version) ?? this.#inPlaceOf(version, samplers);
      const batch = { step, items, policy, settingsHash };
      if (!policies.has(version)) await this.#reportLost(context, batch);
      this.#queue.issue(context, batch);
    }
  }

  /** The present weights under the version of those whose sampler is gone: groups of it that are stored stay what they are. */
  #inPlaceOf(version: number, samplers: IssuedAhead["samplers"]): Policy {
    const saved = samplers.find((sampler) => sampler.version === version);
    return { ...this.policy, version, updates: saved?.optimizer_updates ?? this.policy.updates };
  }

  /** Warns of groups that must be played without the sampler that they were issued for. */
  async #reportLost(
    { reporting }: RunContext,
    { step, items, policy: { version }, settingsHash }: IssuedBatch,
  ): Promise<void> {
    const isStored = ({ position }: TaskItem) =>
      this.#stored?.has({ position, version, settingsHash }) === true;
    const groups = items.filter((item) => !isStored(item)).length;
    if (groups === 0) return;
    const message = `The service no longer has the sampler of step ${version}: ${formatQuantity(groups, "group")} of step ${step + 1} must be sampled with the present weights.`;
    const data = { version, groups };
    await report(reporting, { step, level: "warn", kind: "sampler-gone", message, data });
  }

  /** That of the present weights. */
  get policy(): Policy {
    if (this.#policy === null) throw new AppError("invariant", "Nothing samples the run yet.");
    return this.#policy;
  }

  /** Submits a save of the weights as they are after so many steps, for sampling. @throws AppError `tinker-*` */
  saveSampler(step: number): Promise<SamplingClient> {
    return this.#samplers.save(step);
  }

  /** Groups that are issued from now on are sampled with these. */
  setWeights(
    sampler: SamplingClient,
    { step, optimizerUpdates }: Pick<LoopPosition, "step" | "optimizerUpdates">,
  ): void {
    const age = this.#alarms.samplerAge(sampler.samplerId, optimizerUpdates);
    this.#policy = { sampler, version: step, updates: optimizerUpdates - age };
  }

  /** Issues what is due before step `step`, whose first task is that at `cursor`. */
  issue(context: RunContext, { step, cursor }: LoopPosition, settingsHash: string): void {
    const { config, sequence, totalSteps } = context;
    const last = Math.min(
      step + config.max_steps_off_policy,
      (totalSteps ?? Number.POSITIVE_INFINITY) - 1,
    );
    for (;;) {
      const newest = this.#queue.groups.at(-1);
      const next = newest === undefined ? step : newest.step + 1;
      const position = newest === undefined ? cursor : newest.key.position + 1;
      const items = next > last ? [] : batchAt(sequence, position, config);
      if (items.length === 0) return;
      this.#queue.issue(context, { step: next, items, policy: this.policy, settingsHash });
    }
  }

  /** Number of groups that were issued for a step. */
  groupsOf(step: number): number {
    return this.#queue.groups.filter((group) => group.step === step).length;
  }

  /** Waits for the groups of a step. @throws as {@link GroupQueue.take} */
  take(step: number): Promise<TakenBatch> {
    return this.#queue.take(step);
  }

  /** The groups of a step are trained. */
  release(step: number): void {
    this.#queue.release(step);
  }

  /** Groups whose sampler is gone with its session are issued anew by a resume. */
  get issued(): IssuedAhead {
    const samplers = new Map<number, IssuedAhead["samplers"][number]>();
    for (const policy of [...this.#queue.groups.map((group) => group.policy), this.policy]) {
      const saved = this.#samplers.recordOf(policy);
      if (saved !== null) samplers.set(saved.version, saved);
    }
    const batches = [...groupBy(this.#queue.groups, ({ step }) => step).values()];
    const pending = batches.flatMap((groups) => {
      const [first] = groups;
      if (first === undefined || !samplers.has(first.key.version)) return [];
      const { position, version, settingsHash: settings_hash } = first.key;
      return { position, groups: groups.length, version, settings_hash };
    });
    return { pending, samplers: [...samplers.values()] };
  }

  /** Removes what neither this saved state nor the groups that wait now need. @throws AppError `disk` */
  async tidy({ log }: RunContext["reporting"], { dataset, samplers }: RunState): Promise<void> {
    await this.#stored?.removeBefore(dataset.cursor);
    const needed = [...samplers, ...this.issued.samplers];
    const faults = await this.#samplers.deleteBefore(this.policy.version, needed);
    for (const reason of faults)
      log.warn("An old sampler was not deleted; it expires.", { reason });
  }

  /** Ends what is playing. */
  close(): Promise<void> {
    return this.#queue.close();
  }
}
