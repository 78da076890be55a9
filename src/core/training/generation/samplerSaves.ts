/**
 * The samplers of a run. A sampler needed by groups issued ahead is saved under a name so that a resume can reopen it; any other ends
 * with its session.
 */

import { isAppError } from "../../errors.ts";
import type { RunState } from "../../runFolder/state.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { RunServices } from "../run/context.ts";
import { type DeletionContext, deleteSaved } from "../run/deleteSaved.ts";
import type { Policy } from "../run/policy.ts";

/** Long, because the current weights must outlive any pause. */
const TTL_S = 7 * 24 * 3600;

type SavedSampler = RunState["samplers"][number];

export class SamplerSaves {
  readonly #services: RunServices;
  readonly #isNamed: boolean;
  readonly #paths = new Map<string, string>();
  /** Version by path, for samplers that are not deleted. */
  readonly #saved = new Map<string, number>();

  /** Number of updates when the latest sampler was first used. */
  #latest: { readonly id: string; readonly updates: number } | null = null;

  /** `isNamed` is false when no sampler needs to outlive the session. */
  constructor(services: RunServices, isNamed: boolean) {
    this.#services = services;
    this.#isNamed = isNamed;
  }

  /** Submits a save of the weights after `step` completed steps and opens the sampler. @throws AppError `tinker-*` */
  async save(step: number): Promise<SamplingClient> {
    const { client, service } = this.#services;
    if (!this.#isNamed) return client.ephemeralSampler();
    const name = `sampler_${String(step).padStart(6, "0")}`;
    const userMetadata = { step: String(step) };
    const { path } = await client.saveSampler(name, { ttlSeconds: TTL_S, userMetadata });
    this.#saved.set(path, step);
    const sampler = await service.samplerForPath(path);
    this.#paths.set(sampler.samplerId, path);
    return sampler;
  }

  /**
   * The policy of a sampler after `step` completed steps. Each save creates a new sampler, so one that was used before is `behind` the
   * weights by the updates since then.
   */
  policyOf(
    sampler: SamplingClient,
    { step, optimizerUpdates }: { readonly step: number; readonly optimizerUpdates: number },
  ): Policy {
    const id = sampler.samplerId;
    if (this.#latest?.id !== id) this.#latest = { id, updates: optimizerUpdates };
    const { updates } = this.#latest;
    return { sampler, version: step, updates, behind: optimizerUpdates - updates };
  }

  /** Null when the service no longer has it. @throws AppError `tinker-*` */
  async reopen({
    path,
    version,
    optimizer_updates,
    behind = 0,
  }: SavedSampler): Promise<Policy | null> {
    try {
      const sampler = await this.#services.service.samplerForPath(path);
      this.#paths.set(sampler.samplerId, path);
      this.#saved.set(path, version);
      return { sampler, version, updates: optimizer_updates, behind };
    } catch (error) {
      if (isAppError(error, "tinker-not-found")) return null;
      throw error;
    }
  }

  /** What a resume needs to find the sampler again; null for one that ends with its session. */
  recordOf({ sampler, version, updates, behind }: Policy): SavedSampler | null {
    const path = this.#paths.get(sampler.samplerId);
    if (path === undefined) return null;
    return { version, optimizer_updates: updates, behind: behind > 0 ? behind : undefined, path };
  }

  /**
   * Deletes samplers of versions before `version` that are not in `needed`. A sampler that cannot be deleted, or that this run did not
   * provably save, expires by itself. @throws AppError `disk`
   */
  async deleteBefore(
    version: number,
    needed: RunState["samplers"],
    reporting: DeletionContext["reporting"],
  ): Promise<void> {
    const paths = new Set(needed.map(({ path }) => path));
    const context = { services: this.#services, reporting };
    for (const [path, saved] of this.#saved) {
      if (saved >= version || paths.has(path)) continue;
      this.#saved.delete(path);
      const why = "no group waits for this sampler";
      await deleteSaved(context, path, { step: version, why });
    }
  }
}
