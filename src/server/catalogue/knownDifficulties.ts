/** Caches how other models did on the tasks of hosted environments, for as long as lists of names stay fresh. */

import { type CatalogueAccess, type DifficultyRequest, serverOf } from "../../api/catalogue.ts";
import type { TaskDifficulty } from "../../core/openreward/catalogue.ts";

type Asked = Pick<DifficultyRequest, "environment" | "split">;

interface Known {
  readonly atMs: number;
  readonly tasks: Promise<readonly TaskDifficulty[]>;
}

const FRESH_MS = 10 * 60_000;
const MAX_SPLITS = 32;

export class KnownDifficulties {
  readonly #ask: (asked: Asked, access: CatalogueAccess) => Promise<readonly TaskDifficulty[]>;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(
    ask: (asked: Asked, access: CatalogueAccess) => Promise<readonly TaskDifficulty[]>,
    now: () => number,
  ) {
    this.#ask = ask;
    this.#now = now;
  }

  /** Empty if the service does not answer; this is only a hint. */
  of({ access, environment, split }: DifficultyRequest): Promise<readonly TaskDifficulty[]> {
    const key = JSON.stringify([serverOf("environments", access.variables), environment, split]);
    const found = this.#known.get(key);
    if (found !== undefined && this.#now() - found.atMs < FRESH_MS) return found.tasks;
    const tasks = this.#ask({ environment, split }, access).catch(() => []);
    this.#known.delete(key);
    this.#known.set(key, { atMs: this.#now(), tasks });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_SPLITS && oldest !== undefined) this.#known.delete(oldest);
    return tasks;
  }
}
