/** Searches rollouts run by run, newest first. Reads only the file blocks that may contain matches. */

import { newestSets, type RolloutKey, type RolloutSet } from "../../shared/rolloutSet.ts";
import type { SearchHit, SearchQuery, SearchReport } from "../../shared/search.ts";
import { isAppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { createRunReader, type RunReader, rolloutsInOrder } from "../runFolder/reader.ts";
import { type RolloutRecord, rolloutRecordSchema } from "../runFolder/rollouts/rolloutRecord.ts";
import { parseJson } from "../util/jsonl.ts";
import { matchRollout } from "./matchRollout.ts";
import { type SearchTerm, searchTerms } from "./searchTerms.ts";
import {
  buildTextIndex,
  candidateBlocks,
  type IndexBlock,
  readTextIndex,
  storeTextIndex,
  type TextIndex,
  type TextPaths,
  textPaths,
} from "./textIndex.ts";

export interface RunSearch {
  readonly query: SearchQuery;
  /** Only this step or evaluation; null = the whole run. */
  readonly set: RolloutSet | null;
  /** Maximum number of hits, after which the search ends. */
  readonly maxHits: number;
}

interface Searched extends RunSearch {
  readonly files: FolderFiles;
  readonly folder: string;
  readonly reader: RunReader;
  readonly terms: readonly SearchTerm[];
  readonly hashes: readonly number[];
}

/** A stored rollout and its position in a file. */
interface StoredLine {
  readonly offset: number;
  readonly text: string;
}

/** Number of indexes read ahead of the search. */
const READ_AHEAD = 8;
const LINE_FEED = 0x0a;

/**
 * Reports after each block that had to be read and after each file. A missing, stale or damaged index is rebuilt, and stored for
 * files that no longer grow. If it cannot be stored, the search still continues.
 * @throws AppError `bad-expression`, `file-unreadable`
 */
export async function* searchRun(
  files: FolderFiles,
  folder: string,
  search: RunSearch,
): AsyncGenerator<SearchReport, void> {
  const reader = createRunReader(files, folder);
  const terms = searchTerms(search.query);
  const hashes = terms.flatMap((term) => term.hashes);
  const searched: Searched = { ...search, files, folder, reader, terms, hashes };
  const sets = terms.length === 0 ? [] : await searchedSets(searched);
  const indexes = sets.map((set, at) => () => soundIndex(files, textPaths(folder, set), at === 0));
  let left = search.maxHits;
  let done = 0;
  const report = (hits: readonly SearchHit[], ending: Partial<SearchReport> = {}) => ({
    hits,
    progress: done / Math.max(1, sets.length),
    isComplete: false,
    isCut: false,
    ...ending,
  });
  for await (const index of inAdvance(indexes, READ_AHEAD)) {
    const set = sets[done];
    if (set === undefined) break;
    for await (const hits of searchSet(searched, set, index)) {
      const shown = hits.slice(0, left);
      left -= shown.length;
      if (left > 0) yield report(shown);
      else return yield report(shown, { isCut: true, isComplete: true });
    }
    done += 1;
    yield report([]);
  }
  yield report([], { isComplete: true });
}

async function searchedSets({ reader, set }: Searched): Promise<readonly RolloutSet[]> {
  if (set !== null) return [set];
  return newestSets(await reader.steps("training"), await reader.steps("evaluation"));
}

/** Results of `tasks` in order, with `count` tasks running in parallel. */
async function* inAdvance<T>(
  tasks: readonly (() => Promise<T>)[],
  count: number,
): AsyncGenerator<T, void> {
  const started: Promise<T>[] = [];
  for (const task of tasks) {
    const next = task();
    // The consumer receives the error when it reaches this result.
    next.catch(() => undefined);
    started.push(next);
    if (started.length === count) yield* started.splice(0, 1);
  }
  yield* started;
}

/** Hits of one file, block by block. */
async function* searchSet(
  searched: Searched,
  set: RolloutSet,
  index: TextIndex,
): AsyncGenerator<readonly SearchHit[], void> {
  const { files, folder, hashes } = searched;
  const paths = textPaths(folder, set);
  const keyOf = set.source === "training" ? storedKey : evaluatedKeys(searched.reader, set);
  for (const block of candidateBlocks(index, hashes)) {
    const hits: SearchHit[] = [];
    for (const line of await readLinesOf(files, paths, block)) {
      const hit = await hitOf(searched, line, keyOf);
      if (hit !== null) hits.push(hit);
    }
    yield hits;
  }
}

/** The newest file's index is not stored, because the file may still grow. */
async function soundIndex(
  files: FolderFiles,
  paths: TextPaths,
  isNewest: boolean,
): Promise<TextIndex> {
  const stored = await readTextIndex(files, paths);
  if (stored !== null) return stored;
  const index = await buildTextIndex(files, paths.bodies);
  // A read-only folder can still be searched.
  if (!isNewest) await storeTextIndex(files, paths, index).catch(() => undefined);
  return index;
}

async function readLinesOf(
  files: FolderFiles,
  { bodies }: TextPaths,
  { offset, length }: IndexBlock,
): Promise<readonly StoredLine[]> {
  const bytes = await files.readRange(bodies, offset, length);
  const decoder = new TextDecoder();
  const lines: StoredLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start);
    // The last line is incomplete, and may still be being written.
    if (end === -1) break;
    lines.push({ offset: offset + start, text: decoder.decode(bytes.subarray(start, end)) });
    start = end + 1;
  }
  return lines;
}

async function hitOf(
  { terms, query }: Searched,
  line: StoredLine,
  keyOf: KeyOf,
): Promise<SearchHit | null> {
  if (terms.some(({ linePattern }) => linePattern?.test(line.text) === false)) return null;
  const record = rolloutRecordSchema.safeParse(parseJson(line.text)?.value).data;
  const match = record === undefined ? null : matchRollout(record, terms, query.roles);
  if (record === undefined || match === null) return null;
  const { taskKey, reward, stop } = record;
  const key = await keyOf(record, line);
  return key === null ? null : { ...key, taskKey, reward, stop, ...match };
}

type FoundKey = Pick<SearchHit, keyof RolloutKey | "model" | "position">;
type KeyOf = (record: RolloutRecord, line: StoredLine) => Promise<FoundKey | null>;

const storedKey: KeyOf = async ({ step, group, rollout }) => ({
  source: "training",
  step,
  group,
  rollout,
});

/** Groups of an evaluation are numbered over all of its cells, which a record does not contain. */
function evaluatedKeys(reader: RunReader, { source, step }: RolloutSet): KeyOf {
  let listed: Promise<ReadonlyMap<number, FoundKey>> | null = null;
  const list = async (): Promise<ReadonlyMap<number, FoundKey>> => {
    const summaries = rolloutsInOrder(await reader.rollouts(step, source));
    return new Map(
      summaries.map(({ offset, group, rollout, model }, position) => [
        offset,
        { source, step, group, rollout, position, model },
      ]),
    );
  };
  return async (_, { offset }) => {
    listed ??= list();
    return (await listed).get(offset) ?? null;
  };
}

/** A report about one run. */
export interface FolderReport extends SearchReport {
  readonly folder: string;
}

/**
 * `folders` are run folders in search order. `filesOf` gives access to one. Progress is over all folders, and only the very last
 * report is complete.
 * @throws AppError `bad-expression`; for a single run also `file-unreadable` and `folder-unsafe`. With several, such runs are
 * skipped
 */
export async function* searchRuns(
  folders: readonly string[],
  filesOf: (folder: string) => FolderFiles,
  search: RunSearch,
): AsyncGenerator<FolderReport, void> {
  let left = search.maxHits;
  for (const [at, folder] of folders.entries()) {
    const isLast = at === folders.length - 1;
    try {
      for await (const report of searchRun(filesOf(folder), folder, { ...search, maxHits: left })) {
        left -= report.hits.length;
        const progress = (at + report.progress) / folders.length;
        const isComplete = report.isComplete && (report.isCut || isLast);
        yield { ...report, folder, progress, isComplete };
      }
    } catch (error) {
      if (!isOfOne(folders, error)) throw error;
      if (isLast) yield { hits: [], progress: 1, isComplete: true, isCut: false, folder };
    }
    if (left === 0) return;
  }
}

/** True for an error that affects only one of several folders. */
function isOfOne(folders: readonly string[], error: unknown): boolean {
  return folders.length > 1 && isAppError(error) && error.code !== "bad-expression";
}
