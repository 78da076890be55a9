/** Describes a source of demonstrations for viewers of a configuration: read as a run would, but only part of a large one. */

import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { DataSource, SourceFacts } from "../../core/config/editing/diagnostics/dataSources.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { isAppError } from "../../core/errors.ts";
import { chooseRollouts, useFewPerTask } from "../../core/examples/chooseRollouts.ts";
import type { ChatExample } from "../../core/examples/example.ts";
import type { FileSystem } from "../../core/ports.ts";
import { createRunReader } from "../../core/runFolder/reader.ts";
import { writeExactJson } from "../../core/util/exactJson.ts";
import { sum } from "../../shared/mean.ts";
import { isTestIn, requireSameTokenizer } from "./loadExamples.ts";
import { exampleLines, problemText } from "./readExampleFile.ts";

export interface SourceFactsOptions {
  readonly fileSystem: FileSystem;
  /** The configuration file, from which paths are resolved. */
  readonly configPath: string;
  readonly config: Config;
  readonly source: DataSource;
  /** Index in the list. */
  readonly index: number;
}

/** Limit in examples of a file, or in rollouts of a run. */
const MAX_COUNTED = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REFUSED = 10;
/** Estimate for English text and JSON in common tokenizers. */
const CHARACTERS_PER_TOKEN = 4;

/** Reports problems with the source as facts instead of rejecting. */
export async function sourceFacts(options: SourceFactsOptions): Promise<SourceFacts> {
  try {
    return await (options.source.path !== null ? fileFacts(options) : runFacts(options));
  } catch (error) {
    if (!isAppError(error)) throw error;
    // The position is already marked in the file.
    const message = error.message.replace(/^data\.\d+(?:\.run)?: /, "");
    return { kind: "unreadable", message };
  }
}

async function fileFacts({ configPath, source }: SourceFactsOptions): Promise<SourceFacts> {
  const path = resolve(dirname(configPath), source.path ?? "");
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) {
    const what = found === null ? "does not exist" : "is not a file";
    const message = `${path} ${what}. A relative path is resolved from the folder of this configuration.`;
    return { kind: "unreadable", message };
  }
  const counted = await countLines(path);
  return {
    kind: "read",
    unit: "example",
    ...counted,
    isPart: counted.isPart || found.size > MAX_BYTES,
  };
}

async function countLines(path: string) {
  let [count, turns, characters, heldOut, test, refusedCount] = [0, 0, 0, 0, 0, 0];
  let isPart = false;
  const refused: string[] = [];
  for await (const { line, read } of exampleLines(path, MAX_BYTES)) {
    isPart = count + test + refusedCount === MAX_COUNTED;
    if (isPart) break;
    if ("reason" in read) {
      refusedCount += 1;
      const text = `Row ${line} of ${basename(path)} cannot be trained on: ${problemText(read)}.`;
      if (refusedCount <= MAX_REFUSED) refused.push(text);
    } else if (read.split === "test") test += 1;
    else {
      count += 1;
      heldOut += read.split === "held_out" ? 1 : 0;
      turns += read.messages.filter(({ role }) => role === "assistant").length;
      characters += charactersOf(read);
    }
  }
  const tokens = characters / CHARACTERS_PER_TOKEN;
  return { count, turns, tokens, heldOut, test, isPart, refused, refusedCount };
}

function charactersOf({ messages, tools }: ChatExample): number {
  const texts = messages.flatMap((message) => {
    if (message.role !== "assistant") return [message.content];
    const calls = message.calls.map(({ name, args }) => `${name} ${writeExactJson(args)}`);
    return [message.content, message.reasoning ?? "", ...calls];
  });
  const declared = tools.map((tool) => JSON.stringify(tool));
  return sum([...texts, ...declared].map(({ length }) => length));
}

async function runFacts(options: SourceFactsOptions): Promise<SourceFacts> {
  const { fileSystem, configPath, config, source, index } = options;
  const folder = resolve(dirname(configPath), source.run ?? "");
  const files = fileSystem.within(folder);
  await requireSameTokenizer(files, folder, config, `data.${index}`);
  const { where, starred, tags, max_per_task: maxPerTask } = source;
  let looked = 0;
  let isPart = false;
  const choice = { where, starred, tags };
  const chosen = await chooseRollouts(createRunReader(files, folder), choice, (rollouts) => {
    looked += rollouts;
    isPart = looked > MAX_COUNTED;
    return !isPart;
  });
  const summaries = chosen.map(({ summary }) => summary);
  const isTest = isTestIn(config);
  const measured = summaries.find(({ environment, split }) => isTest(environment, split));
  if (measured !== undefined) {
    const { environment, split } = measured;
    const message = `${basename(folder)} has rollouts of ${environment}, split ${split}, which is reserved for evaluation. Use rollouts of another split.`;
    return { kind: "unreadable", message };
  }
  const stored = await useFewPerTask(chosen, maxPerTask, async ({ summary }) =>
    summary.tokenData.length > 0 ? summary : null,
  );
  if (stored.length === 0 && !isPart) {
    const why =
      summaries.length === 0
        ? "none of its rollouts passes the filters"
        : `no tokens of ${summaries.length} of its rollouts are stored`;
    return { kind: "unreadable", message: `${basename(folder)} gives no example: ${why}.` };
  }
  return {
    kind: "read",
    unit: "rollout",
    count: stored.length,
    turns: sum(stored.map(({ turns }) => turns)),
    tokens: sum(stored.map(({ tokens }) => tokens)),
    heldOut: 0,
    test: 0,
    isPart,
    refused: [],
    refusedCount: 0,
  };
}
