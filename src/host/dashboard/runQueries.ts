/** Reads what a page asks for about one run: rollouts, their bodies and tokens, the configuration. */

import { AppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import { readImageAddress } from "../../core/runFolder/imageFiles.ts";
import {
  createRunReader,
  type RolloutSummary,
  type RunReader,
} from "../../core/runFolder/reader.ts";
import type { TokenRecord } from "../../core/runFolder/tokenRecord.ts";
import { sha256 } from "../../node/hash.ts";
import { type DashboardQuestion, TOKENS_PER_WINDOW } from "../../shared/dashboardMessages.ts";
import type {
  ColumnPart,
  ConfigView,
  RolloutBody,
  RolloutKey,
  TokenWindow,
} from "../../shared/dashboardTypes.ts";
import type { RolloutSet } from "../../shared/rolloutSet.ts";
import { readConfigView } from "./configView.ts";
import { type SearchReport, searchRollouts } from "./rolloutSearch.ts";
import { rolloutBody, tokenPart } from "./rolloutViews.ts";

/** The texts of tokens by the run's own tokenizer; null when it cannot be loaded. */
export type TokenTexts = (folder: string, ids: Int32Array) => Promise<readonly string[] | null>;

export interface RunQueriesOptions {
  readonly fileSystem: FileSystem;
  readonly follower: RunFollower;
  readonly tokenTexts: TokenTexts;
  readonly shortenPath: (path: string) => string;
}

type Question<Ask extends DashboardQuestion["ask"]> = Extract<
  DashboardQuestion,
  { readonly ask: Ask }
>;

/** Metrics of steps that a resume replaced. */
interface SupersededMetrics {
  readonly steps: Float64Array;
  readonly columns: readonly ColumnPart[];
}

export class RunQueries {
  readonly #options: RunQueriesOptions;
  readonly #files: FolderFiles;
  readonly #reader: RunReader;
  #lastTokens: { readonly key: string; readonly record: TokenRecord } | null = null;

  constructor(options: RunQueriesOptions) {
    this.#options = options;
    const { folder } = options.follower;
    this.#files = options.fileSystem.within(folder);
    this.#reader = createRunReader(this.#files, folder);
  }

  summaries({ step, source }: RolloutSet): Promise<readonly RolloutSummary[]> {
    return this.#options.follower.rollouts(step, source);
  }

  /** @throws AppError `no-such-rollout`, `rollout-incomplete` */
  async rollout(key: RolloutKey): Promise<RolloutBody> {
    return this.#body(await this.#summary(key));
  }

  /** The rollout of the same task in the evaluation after `step` steps. @throws AppError as {@link rollout} does */
  async counterpart(key: RolloutKey, step: number): Promise<RolloutBody> {
    const own = await this.#summary(key);
    const others = await this.summaries({ step, source: "evaluation" });
    const found = others.find((other) => isCounterpart(own, other));
    if (found !== undefined) return this.#body(found);
    const where = `the evaluation after ${step} steps`;
    throw new AppError("no-such-rollout", `There is no rollout of this task in ${where}.`);
  }

  /** @throws AppError `no-such-rollout`, `tokens-missing` */
  async tokens({ key, stream, from }: Question<"tokens">): Promise<TokenWindow> {
    const record = await this.#tokenRecord(key, stream);
    const part = tokenPart(record, { from, count: TOKENS_PER_WINDOW });
    const { tokenTexts, follower } = this.#options;
    return { ...part, texts: await tokenTexts(follower.folder, part.ids) };
  }

  async *search(question: Question<"search">): AsyncGenerator<SearchReport, void> {
    yield* searchRollouts(this.#reader, await this.summaries(question), question.text);
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
    const columns = names.map((name) => ({
      name,
      fromRow: 0,
      values: metrics.values(name).slice(),
    }));
    return { steps: metrics.steps().slice(), columns };
  }

  async #summary({ source, step, group, rollout }: RolloutKey): Promise<RolloutSummary> {
    const summaries = await this.summaries({ source, step });
    const found = summaries.find((entry) => entry.group === group && entry.rollout === rollout);
    if (found !== undefined) return found;
    const where =
      source === "training" ? `in step ${step + 1}` : `in the evaluation after ${step} steps`;
    throw new AppError(
      "no-such-rollout",
      `There is no rollout ${rollout + 1} of group ${group + 1} ${where}. A resume may have replaced it.`,
    );
  }

  async #body(summary: RolloutSummary): Promise<RolloutBody> {
    const record = await this.#reader.body(summary);
    if (record !== null) return rolloutBody(record);
    throw new AppError(
      "rollout-incomplete",
      "This rollout is not wholly on disk. Its file was cut off or is being written.",
    );
  }

  async #tokenRecord(key: RolloutKey, stream: number): Promise<TokenRecord> {
    const { tokenData } = await this.#summary(key);
    const entry = tokenData.find((item) => item.stream === stream);
    const name = [key.source, key.step, key.group, key.rollout, stream, entry?.offset].join("/");
    if (this.#lastTokens?.key === name) return this.#lastTokens.record;
    const record = entry === undefined ? null : await this.#reader.tokens(entry);
    if (record === null) {
      throw new AppError(
        "tokens-missing",
        "Only rollouts that were trained on have token data. This one has none.",
      );
    }
    this.#lastTokens = { key: name, record };
    return record;
  }
}

/** Groups are counted as they were played, so another evaluation may have other numbers for the same task. */
function isCounterpart(a: RolloutSummary, b: RolloutSummary): boolean {
  const keys = ["environment", "split", "index", "temperature", "rollout"] as const;
  return keys.every((key) => a[key] === b[key]);
}
