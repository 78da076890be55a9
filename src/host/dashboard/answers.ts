/** Answers the questions of a page about one run: rollouts, their bodies and tokens, the configuration. */

import { setImmediate as turn } from "node:timers/promises";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import { createRunReader, type RolloutSummary } from "../../core/runFolder/reader.ts";
import type { TokenRecord } from "../../core/runFolder/tokenRecord.ts";
import {
  type DashboardQuestion,
  type HostMessage,
  TOKENS_PER_WINDOW,
} from "../../shared/dashboardMessages.ts";
import type { RolloutKey } from "../../shared/dashboardTypes.ts";
import type { RolloutSet } from "../../shared/rolloutSet.ts";
import { readConfigView } from "./configView.ts";
import { searchRollouts } from "./rolloutSearch.ts";
import { rolloutBody, rolloutRow, tokenPart } from "./rolloutViews.ts";

const ROWS_PER_PAGE = 500;

/** The texts of tokens by the run's own tokenizer; null when it cannot be loaded. */
export type TokenTexts = (folder: string, ids: Int32Array) => Promise<readonly string[] | null>;

export interface AnswererOptions {
  readonly post: (message: HostMessage) => void;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly follower: RunFollower;
  readonly tokenTexts: TokenTexts;
  readonly shortenPath: (path: string) => string;
  /** Takes what a page must not see out of a message. */
  readonly clean: (text: string) => string;
}

export interface Answerer {
  answer(id: number, question: DashboardQuestion): void;
  cancel(id: number): void;
  /** Sends the step asked for last again when it has grown. */
  refresh(): Promise<void>;
  dispose(): void;
}

/** A question whose answer changes while its step is played. */
interface Watched {
  readonly id: number;
  readonly set: RolloutSet;
  sent: readonly RolloutSummary[] | null;
  sentAtMs: number;
}

type Question<Ask extends DashboardQuestion["ask"]> = Extract<
  DashboardQuestion,
  { readonly ask: Ask }
>;

export function createAnswerer(options: AnswererOptions): Answerer {
  const { post, clock, follower, tokenTexts, shortenPath, clean } = options;
  const files = options.fileSystem.within(follower.folder);
  const reader = createRunReader(files, follower.folder);
  const open = new Set<number>();
  let watched: Watched | null = null;
  let lastTokens: { readonly key: string; readonly record: TokenRecord } | null = null;

  const summaryOf = async (key: RolloutKey): Promise<RolloutSummary> => {
    const { source, step, group, rollout } = key;
    const summaries = await follower.rollouts(step, source);
    const found = summaries.find((entry) => entry.group === group && entry.rollout === rollout);
    if (found !== undefined) return found;
    const where =
      source === "training" ? `in step ${step + 1}` : `in the evaluation after ${step} steps`;
    const place = `rollout ${rollout + 1} of group ${group + 1} ${where}`;
    throw new AppError(
      "no-such-rollout",
      `There is no ${place}. It may have been replaced by a resume.`,
    );
  };

  const sendRollouts = async (target: Watched): Promise<void> => {
    const { step, source } = target.set;
    const summaries = await follower.rollouts(step, source);
    const total = summaries.length;
    if (summaries === target.sent || !open.has(target.id)) return;
    // The longer the list, the seldomer it is sent again: all of it goes every time.
    const restMs = target.sent === null ? 0 : target.sentAtMs + total - clock.monotonic();
    if (restMs > 0) return;
    target.sent = summaries;
    target.sentAtMs = clock.monotonic();
    const { id } = target;
    for (let from = 0; from === 0 || from < total; from += ROWS_PER_PAGE) {
      const rows = summaries.slice(from, from + ROWS_PER_PAGE).map(rolloutRow);
      post({ kind: "rollouts", id, total, from, rows });
      await turn();
      if (!open.has(id)) return;
    }
  };

  const counterpartOf = async (key: RolloutKey, step: number): Promise<RolloutSummary> => {
    const own = await summaryOf(key);
    const others = await follower.rollouts(step, "evaluation");
    const found = others.find((other) => isCounterpart(own, other));
    if (found !== undefined) return found;
    const where = `the evaluation after ${step} steps`;
    throw new AppError("no-such-rollout", `There is no rollout of this task in ${where}.`);
  };

  const sendBody = async (id: number, summary: RolloutSummary): Promise<void> => {
    const record = await reader.body(summary);
    if (record === null) {
      throw new AppError(
        "rollout-incomplete",
        "This rollout is not wholly on disk. Its file was cut off or is being written.",
      );
    }
    if (open.has(id)) post({ kind: "rollout", id, body: rolloutBody(record) });
  };

  const readTokens = async (key: RolloutKey, stream: number) => {
    const { tokenData } = await summaryOf(key);
    const entry = tokenData.find((item) => item.stream === stream);
    const name = [key.source, key.step, key.group, key.rollout, stream, entry?.offset].join("/");
    if (lastTokens?.key === name) return { record: lastTokens.record, streams: tokenData.length };
    const record = entry === undefined ? null : await reader.tokens(entry);
    if (record === null) {
      throw new AppError(
        "tokens-missing",
        "Only rollouts that were trained on have token data. This one has none.",
      );
    }
    lastTokens = { key: name, record };
    return { record, streams: tokenData.length };
  };

  const sendTokens = async (id: number, question: Question<"tokens">): Promise<void> => {
    const { record, streams } = await readTokens(question.key, question.stream);
    const part = tokenPart(record, { from: question.from, count: TOKENS_PER_WINDOW, streams });
    const texts = await tokenTexts(follower.folder, part.ids);
    if (open.has(id)) post({ kind: "tokens", id, window: { ...part, texts } });
  };

  const sendSearch = async (id: number, question: Question<"search">): Promise<void> => {
    const { source, step, text } = question;
    const summaries = await follower.rollouts(step, source);
    for await (const report of searchRollouts(reader, summaries, text)) {
      if (!open.has(id)) return;
      post({ kind: "search", id, ...report });
    }
  };

  const sendConfig = async (id: number): Promise<void> => {
    const view = await readConfigView(files, follower.folder, shortenPath);
    const path = follower.runFile?.configPath;
    const config = { ...view, path: path === undefined ? null : shortenPath(path) };
    if (open.has(id)) post({ kind: "config", id, config });
  };

  const sendSuperseded = async (id: number, question: Question<"superseded">): Promise<void> => {
    const { attempt, names } = question;
    const metrics = await follower.supersededMetrics(attempt);
    const columns = names.map((name) => ({
      ...{ name, fromRow: 0 },
      values: metrics.values(name).slice(),
    }));
    if (!open.has(id)) return;
    post({ kind: "superseded", id, attempt, steps: metrics.steps().slice(), columns });
  };

  const send = async (id: number, question: DashboardQuestion): Promise<void> => {
    switch (question.ask) {
      case "rollouts":
        if (watched !== null) open.delete(watched.id);
        watched = { id, set: question, sent: null, sentAtMs: 0 };
        return sendRollouts(watched);
      case "rollout":
        return sendBody(id, await summaryOf(question.key));
      case "counterpart":
        return sendBody(id, await counterpartOf(question.key, question.step));
      case "tokens":
        return sendTokens(id, question);
      case "search":
        return sendSearch(id, question);
      case "config":
        return sendConfig(id);
      case "superseded":
        return sendSuperseded(id, question);
    }
  };

  return {
    answer: (id, question) => {
      open.add(id);
      send(id, question)
        .catch((error: unknown) => {
          if (open.has(id)) post({ kind: "error", id, message: clean(errorMessage(error)) });
        })
        .finally(() => {
          if (watched?.id !== id) open.delete(id);
        });
    },
    cancel: (id) => {
      open.delete(id);
      if (watched?.id === id) watched = null;
    },
    refresh: async () => {
      if (watched !== null) await sendRollouts(watched);
    },
    dispose: () => {
      open.clear();
      watched = null;
    },
  };
}

/** Groups are counted as they were played, so another evaluation may have other numbers for the same task. */
function isCounterpart(a: RolloutSummary, b: RolloutSummary): boolean {
  const keys = ["environment", "split", "index", "temperature", "rollout"] as const;
  return keys.every((key) => a[key] === b[key]);
}
