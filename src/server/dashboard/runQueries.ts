/** Answers a page's queries about one run: rollouts, their bodies and tokens, the configuration. */

import { AppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import {
  createRunReader,
  type RolloutSummary,
  type RunReader,
} from "../../core/runFolder/reader.ts";
import { readImageAddress } from "../../core/runFolder/rollouts/imageFiles.ts";
import { TaskStepFinder } from "../../core/runFolder/rollouts/taskSteps.ts";
import type { TokenRecord } from "../../core/runFolder/rollouts/tokenRecord.ts";
import { readTokenSummary } from "../../core/runFolder/rollouts/tokenSummary.ts";
import { foundToken } from "../../core/search/foundToken.ts";
import { rolloutTexts } from "../../core/search/rolloutTexts.ts";
import { sha256 } from "../../node/hash.ts";
import { type DashboardQuestion, TOKENS_PER_WINDOW } from "../../shared/dashboardMessages.ts";
import type {
  ColumnPart,
  ConfigView,
  RolloutBody,
  RolloutDetail,
  TokenPlace,
  TokenWindow,
} from "../../shared/dashboardTypes.ts";
import { isExample } from "../../shared/outcome.ts";
import type { RolloutKey, RolloutSet } from "../../shared/rolloutSet.ts";
import type { TaskPage } from "../../shared/taskTable.ts";
import type { PackedTimeline } from "../../shared/timeline.ts";
import { readConfigView } from "./configView.ts";
import { type EvidenceReport, searchEvidence } from "./evidenceSearch.ts";
import { rolloutBody, tokenPart } from "./rolloutViews.ts";
import { TaskTable } from "./taskQuery.ts";
import type { TextReader } from "./textReader.ts";
import { TimelineQuery } from "./timelineQuery.ts";

/** Decodes tokens with the run's own tokenizer; null if it cannot be loaded. */
export type TokenTexts = (folder: string, ids: Int32Array) => Promise<readonly string[] | null>;

export interface RunQueriesOptions {
  readonly fileSystem: FileSystem;
  readonly follower: RunFollower;
  readonly tokenTexts: TokenTexts;
  readonly shortenPath: (path: string) => string;
  readonly texts: TextReader;
}

/** Turn number of the tokens before the first turn. */
const PROMPT_TURN = -1;
/** More hits than a person looks through. */
const MAX_HITS = 500;
/** More than the number of rollouts in any step. */
const MAX_HITS_OF_SET = 1_000_000;

type Question<Ask extends DashboardQuestion["ask"]> = Extract<
  DashboardQuestion,
  { readonly ask: Ask }
>;

/** Metrics of steps that a resume superseded. */
interface SupersededMetrics {
  readonly steps: Float64Array;
  readonly columns: readonly ColumnPart[];
}

interface FoundRollout {
  readonly key: RolloutKey;
  readonly body: RolloutBody;
}

interface Occurrences {
  readonly sets: readonly RolloutSet[];
  readonly isComplete: boolean;
}

export class RunQueries {
  readonly #options: RunQueriesOptions;
  readonly #files: FolderFiles;
  readonly #reader: RunReader;
  readonly #timelines: TimelineQuery;
  readonly #tasks: TaskTable;
  readonly #taskSteps: TaskStepFinder;
  #lastTokens: { readonly key: string; readonly record: TokenRecord } | null = null;

  constructor(options: RunQueriesOptions) {
    this.#options = options;
    const { folder } = options.follower;
    this.#files = options.fileSystem.within(folder);
    this.#reader = createRunReader(this.#files, folder);
    this.#timelines = new TimelineQuery(this.#files, options.follower);
    this.#tasks = new TaskTable(this.#files, folder);
    this.#taskSteps = new TaskStepFinder(this.#files, folder);
  }

  summaries({ step, source }: RolloutSet): Promise<readonly RolloutSummary[]> {
    return this.#options.follower.rollouts(step, source);
  }

  /** @throws AppError `no-such-rollout`, `rollout-incomplete` */
  async rollout(key: RolloutKey): Promise<RolloutBody> {
    return this.#body(await this.#summary(key));
  }

  /** The rollout of the same task in another step or evaluation. @throws AppError like {@link rollout} */
  async counterpart({ key, set }: Question<"counterpart">): Promise<FoundRollout> {
    const own = await this.#summary(key);
    const others = await this.summaries(set);
    const found = others.find((other) => isCounterpart(own, other));
    if (found === undefined) {
      throw new AppError("no-such-rollout", `There is no rollout of this task ${placeOfSet(set)}.`);
    }
    const { group, rollout } = found;
    return { key: { ...set, group, rollout }, body: await this.#body(found) };
  }

  /** All evaluations share their tasks; for training, the indexes are read. @throws AppError `no-such-rollout` */
  async occurrences({ key }: Question<"occurrences">): Promise<Occurrences> {
    const { follower } = this.#options;
    const { source, step } = key;
    if (source === "evaluation") {
      const steps = await follower.steps(source);
      return { sets: steps.map((own) => ({ source, step: own })), isComplete: true };
    }
    const task = await this.#summary(key);
    const found = await this.#taskSteps.find(task, step, await follower.steps(source));
    return { ...found, sets: found.steps.map((own) => ({ source, step: own })) };
  }

  /** Skips rollouts that are no longer listed. */
  async details({ keys }: Question<"details">): Promise<readonly RolloutDetail[]> {
    const [first] = keys;
    if (first === undefined) return [];
    const wanted = new Set(keys.map(({ group, rollout }) => `${group}/${rollout}`));
    const summaries = await this.summaries(first);
    const found = summaries.filter(({ group, rollout }) => wanted.has(`${group}/${rollout}`));
    const details: RolloutDetail[] = [];
    for (const summary of found) details.push(await this.#detail(summary));
    return details;
  }

  async #detail(summary: RolloutSummary): Promise<RolloutDetail> {
    const { group, rollout, tokenData } = summary;
    // The last stream contains the end of the rollout.
    const entry = tokenData.at(-1);
    const { folder } = this.#options.follower;
    const by = isExample(summary) ? "trainer" : "sampler";
    const tokens =
      entry === undefined ? null : await readTokenSummary(this.#files, folder, summary, entry, by);
    const { strip = null, tokenAdvantage = null } = tokens ?? {};
    return { group, rollout, strip, tokenAdvantage };
  }

  /** @throws AppError `no-such-rollout`, `tokens-missing` */
  async tokens({ key, stream, from }: Question<"tokens">): Promise<TokenWindow> {
    const record = await this.#tokenRecord(key, stream);
    const part = tokenPart(record, { from, count: TOKENS_PER_WINDOW });
    const { tokenTexts, follower } = this.#options;
    return { ...part, texts: await tokenTexts(follower.folder, part.ids) };
  }

  /** Null if the rollout has no tokens, or they do not contain the snippet. @throws AppError like {@link rollout} */
  async foundToken({ key, snippet }: Question<"found-token">): Promise<TokenPlace | null> {
    const summary = await this.#summary(key);
    const record = summary.tokenData.length === 0 ? null : await this.#reader.body(summary);
    if (record === null) return null;
    const texts = rolloutTexts(record).filter(({ turn }) => turn === snippet.turn);
    const { tokenTexts, follower } = this.#options;
    for (const { stream } of summary.tokenData) {
      const { ids, turns } = await this.#tokenRecord(key, stream);
      const turn = snippet.turn ?? PROMPT_TURN;
      const places = Array.from(turns, (_, at) => at).filter((at) => turns[at] === turn);
      const own = Int32Array.from(places, (at) => ids[at] ?? 0);
      const tokens = await tokenTexts(follower.folder, own);
      const found = tokens === null ? null : foundToken({ tokens, texts }, snippet);
      const index = found === null ? undefined : places[found];
      if (index !== undefined) return { stream, index };
    }
    return null;
  }

  search(
    { query, scope }: Question<"search">,
    signal: AbortSignal,
  ): ReturnType<TextReader["search"]> {
    const { texts, follower } = this.#options;
    const set = scope === "run" || scope === "runs" ? null : scope;
    const maxHits = set === null ? MAX_HITS : MAX_HITS_OF_SET;
    return texts.search({ query, set, maxHits }, scope === "runs" ? null : follower.folder, signal);
  }

  behavior(signal: AbortSignal): ReturnType<TextReader["behavior"]> {
    return this.#options.texts.behavior(this.#options.follower.folder, signal);
  }

  changes(question: Question<"changes">, signal: AbortSignal): ReturnType<TextReader["changes"]> {
    return this.#options.texts.changes(this.#options.follower.folder, question, signal);
  }

  async *evidence(question: Question<"evidence">): AsyncGenerator<EvidenceReport, void> {
    yield* searchEvidence(this.#reader, await this.summaries(question), question.alarm);
  }

  timeline({ source, step }: RolloutSet): Promise<PackedTimeline> {
    return this.#timelines.timeline({ source, step });
  }

  /** @throws AppError `state-invalid`, `state-format` */
  tasks({ query }: Question<"tasks">): Promise<TaskPage> {
    return this.#tasks.page(query);
  }

  /** @throws AppError `image-invalid`, `file-not-found` */
  image({ file }: Question<"image">): Promise<string> {
    const { folder } = this.#options.follower;
    return readImageAddress(file, { fileSystem: this.#files, folder, sha256 });
  }

  async config(): Promise<ConfigView> {
    const { follower, shortenPath } = this.#options;
    const view = await readConfigView(this.#files, follower.folder, shortenPath);
    const path = follower.runFile?.configPath;
    return { ...view, path: path === undefined ? null : shortenPath(path) };
  }

  async superseded({ attempt, names }: Question<"superseded">): Promise<SupersededMetrics> {
    const metrics = await this.#options.follower.supersededMetrics(attempt);
    const columns = names.map((name) => ({ name, fromRow: 0, values: metrics.values(name) }));
    return { steps: metrics.steps(), columns };
  }

  async #summary({ source, step, group, rollout }: RolloutKey): Promise<RolloutSummary> {
    const summaries = await this.summaries({ source, step });
    const found = summaries.find((entry) => entry.group === group && entry.rollout === rollout);
    if (found !== undefined) return found;
    throw new AppError(
      "no-such-rollout",
      `There is no rollout ${rollout + 1} of group ${group + 1} ${placeOfSet({ source, step })}. A resume may have replaced it.`,
    );
  }

  async #body(summary: RolloutSummary): Promise<RolloutBody> {
    const record = await this.#reader.body(summary);
    if (record !== null) return rolloutBody(record);
    throw new AppError(
      "rollout-incomplete",
      "This rollout is not completely on disk. Its file was cut off or is being written.",
    );
  }

  async #tokenRecord(key: RolloutKey, stream: number): Promise<TokenRecord> {
    const { tokenData } = await this.#summary(key);
    const entry = tokenData.find((item) => item.stream === stream);
    const name = [key.source, key.step, key.group, key.rollout, stream, entry?.offset].join("/");
    if (this.#lastTokens?.key === name) return this.#lastTokens.record;
    const record = entry === undefined ? null : await this.#reader.tokens(key, entry);
    if (record === null) {
      throw new AppError(
        "tokens-missing",
        "Only trained rollouts and those of evaluations have token data. This one has none.",
      );
    }
    this.#lastTokens = { key: name, record };
    return record;
  }
}

function placeOfSet({ source, step }: RolloutSet): string {
  return source === "training" ? `in step ${step + 1}` : `in the evaluation after ${step} steps`;
}

/** Compared without the group, because groups are numbered in playing order, which differs between steps and evaluations. */
function isCounterpart(a: RolloutSummary, b: RolloutSummary): boolean {
  const keys = ["environment", "split", "index", "temperature", "rollout"] as const;
  return keys.every((key) => a[key] === b[key]);
}
