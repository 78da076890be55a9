/** Tracks the rows that the page has, and sends those that are new or changed. */

import { dirname } from "node:path";
import type { RunEntry } from "../../api/runs.ts";
import { runAtStep } from "../../core/config/rules/namedWeights.ts";
import type { Clock } from "../../core/ports.ts";
import { digestView } from "../../core/runs/runDigest.ts";
import { runWords } from "../../core/runs/runWords.ts";
import { variedSettings } from "../../core/runs/shownNames.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { stageOf } from "../../shared/runFile.ts";
import type { RunsHostMessage, RunsTableRow } from "../../shared/runsPage.ts";
import { lastRewardsMean } from "../../shared/sweepResult.ts";
import { runIdOf } from "../runs/runId.ts";
import type { RunDigests } from "./runDigests.ts";

export interface SentRowsOptions {
  readonly clock: Pick<Clock, "now">;
  /** The newest first. */
  readonly runs: () => readonly RunEntry[];
  readonly digests: RunDigests;
  readonly post: (message: RunsHostMessage) => void;
}

export class SentRows {
  readonly #options: SentRowsOptions;
  /** Rows on the page, as JSON by id. */
  readonly #sent = new Map<string, string>();
  /** Other state on the page, as JSON. */
  #sentState = "";
  #folders: ReadonlyMap<string, string> = new Map();

  constructor(options: SentRowsOptions) {
    this.#options = options;
  }

  /** Call for a new page, which has no rows. */
  forget(): void {
    this.#sent.clear();
    this.#sentState = "";
  }

  /** Finds only runs whose rows were sent. */
  folderOf(id: string): string | undefined {
    return this.#folders.get(id);
  }

  /** Folders by id, without runs that no longer exist. */
  foldersOf(ids: readonly string[]): ReadonlyMap<string, string> {
    const found = ids.map((id) => [id, this.#folders.get(id)] as const);
    return new Map(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  sendAll(unread = 0): void {
    this.send(Number.POSITIVE_INFINITY, unread);
  }

  /** Sends the first `count` runs; `unread` is the number of runs still to be read. */
  send(count: number, unread: number): void {
    const { runs, digests, post, clock } = this.#options;
    const nowMs = clock.now();
    const listed = runs().slice(0, count);
    this.#folders = new Map(listed.map(({ folder }) => [runIdOf(folder), folder]));
    const settingKeys = digests.settings.differing();
    const places = listed.map(({ folder }) => ({ folder, parts: partsFromEnd(folder) }));
    const rows: RunsTableRow[] = [];
    for (const run of listed) {
      const row = rowOf(run, { digests, places, nowMs });
      const json = JSON.stringify(row);
      if (this.#sent.get(row.id) === json) continue;
      this.#sent.set(row.id, json);
      rows.push(row);
    }
    const removed = [...this.#sent.keys()].filter((id) => !this.#folders.has(id));
    for (const id of removed) this.#sent.delete(id);
    const state = JSON.stringify([settingKeys, unread]);
    if (rows.length === 0 && removed.length === 0 && state === this.#sentState) return;
    this.#sentState = state;
    post({ kind: "rows", rows, removed, settingKeys, unread });
  }
}

function sweepOf(file: RunEntry["file"]): RunsTableRow["sweep"] {
  if (file?.sweep === undefined) return null;
  const { id, name, left } = file.sweep;
  const isStages = stageOf(file.sweep) !== null;
  return { id, name, settings: variedSettings(file), isStages, hasLeft: left !== undefined };
}

interface Place {
  readonly folder: string;
  readonly parts: readonly string[];
}

/**
 * The folder that the run's `init_from` refers to: the listed folder whose path shares the longest ending, preferring a sibling of `own`.
 * Null for a checkpoint address, or if no listed folder matches.
 */
function startOf(
  setting: string | undefined,
  own: string,
  places: readonly Place[],
): string | null {
  const given: unknown = parseJson(setting ?? "")?.value;
  if (typeof given !== "string" || given.startsWith("tinker:")) return null;
  let found = places;
  for (const [at, part] of partsFromEnd(runAtStep(given)?.folder ?? given).entries()) {
    const nearer = found.filter(({ parts }) => parts[at] === part);
    // A folder name alone is too weak a match.
    if (nearer.length === 0 && at < 2) return null;
    if (nearer.length === 0) break;
    found = nearer;
  }
  const isBeside = ({ folder }: Place): boolean => dirname(folder) === dirname(own);
  return (found.length === 1 ? found[0] : found.find(isBeside))?.folder ?? null;
}

/** Path components from last to first, without the prefixes of relative or abbreviated paths. */
function partsFromEnd(path: string): readonly string[] {
  return path
    .split(/[\\/]/)
    .filter((part) => !["", ".", "..", "~"].includes(part))
    .reverse();
}

interface RowSurroundings {
  readonly digests: RunDigests;
  readonly places: readonly Place[];
  readonly nowMs: number;
}

function rowOf(run: RunEntry, { digests, places, nowMs }: RowSurroundings): RunsTableRow {
  const { folder, name, file, phase, startedAtMs, steps, totalSteps, reward, fit, used } = run;
  const digest = digests.of(folder);
  const settings = digests.settings.of(folder);
  // The list is updated less often than steps are read.
  const newest = digest?.used ?? null;
  const spent = (newest?.tokens ?? 0) > (used?.tokens ?? 0) ? newest : used;
  const start = startOf(settings["init_from"], folder, places);
  return {
    id: runIdOf(folder),
    name,
    sweep: sweepOf(file),
    from: start === null || start === folder ? null : runIdOf(start),
    state: phase === "unreadable" ? "unknown" : phase,
    words: runWords(run, nowMs).join("+"),
    startedAtMs,
    steps,
    totalSteps,
    reward,
    swept:
      file?.sweep === undefined
        ? null
        : {
            recentReward: lastRewardsMean(run.recentRewards),
            evaluated: run.evaluated,
          },
    fit,
    tokens: spent?.tokens ?? null,
    costUsd: spent?.costUsd ?? null,
    digest: digest === null ? null : digestView(digest),
    mark: digests.markOf(folder),
    settings,
  };
}
