/** A run of one rollout in a model's chat format, played by the product's own rollout from scripted turns. */

import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createControlTokens } from "../../src/core/chat/controlTokens.ts";
import { createRenderer } from "../../src/core/chat/setup/createRenderer.ts";
import { EnvironmentGate } from "../../src/core/rollout/environmentGate.ts";
import { runRollout } from "../../src/core/rollout/rollout.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { buildDatum } from "../../src/core/training/update/datums.ts";
import { toTokenRecord } from "../../src/core/training/update/tokenRecords.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { BYTE_LEVEL_ALPHABET } from "../../src/node/tokenizer/byteLevel.ts";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";
import { aTask, someSettings } from "../core/training/builders.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { startedRun } from "../fakes/startedRun.ts";
import { writeFiles } from "./folders.ts";

export interface FormatRun {
  readonly name: string;
  readonly model: string;
  /** The tokenizer's folder. */
  readonly tokenizer: string;
  /** As the model samples them, with control tokens spelled out; a turn without an end token was truncated. */
  readonly turns: readonly string[];
  readonly retention?: "all" | "template";
}

const RANDOM = { uuid: () => "id", uniform: () => 0 };
const ADVANTAGE = 0.5;

/** Writes the run into `parent`; `add` answers 5, `answer` gives the reward and ends the rollout. */
export async function writeFormatRun(parent: string, run: FormatRun): Promise<void> {
  const { record, streams } = await play(run);
  const fileSystem = createFileSystem();
  mkdirSync(parent, { recursive: true });
  const configPath = join(parent, "..", "..", "tinker-config.yaml");
  const { name, model, tokenizer } = run;
  const lease = await startedRun(fileSystem, parent, {
    name,
    pid: process.pid,
    host: hostname(),
    configPath,
  });
  const { folder, files } = lease;
  writeFiles(folder, {
    "config.resolved.json": JSON.stringify({ model_name: model, tokenizer_name: tokenizer }),
  });
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
  await store.addRollout(record);
  const score = { group: 0, rollout: 0, advantage: ADVANTAGE, trainingUse: "trained" } as const;
  await store.addScores(0, [score]);
  const tokens = streams.flatMap((ledger, stream) => {
    const datum = buildDatum({ group: 0, rollout: 0, stream, ledger }, [ADVANTAGE]);
    return datum === null ? [] : [toTokenRecord(datum, null)];
  });
  await store.addTokens(0, tokens);
  const { environment } = record;
  const rollouts = [rolloutFacts({ environment })];
  const facts = stepFacts({ step: 0, rollouts, environments: [environment] });
  await appendMetrics(files, folder, buildMetricsRow(facts));
  await lease.update({ phase: "done" });
  await fileSystem.close();
}

async function play(run: FormatRun) {
  const { model: modelName, tokenizer: folder, turns, retention = "all" } = run;
  const model = await loadModelTokenizer(folder);
  const { renderer, retention: kept } = createRenderer({
    date: "2026-01-02",
    model,
    config: {
      model_name: modelName,
      chat_format: "auto",
      system_prompt_template: null,
      thinking: { enabled: true, effort: null, retention },
    },
  });
  const { encode } = createControlTokens(model.tokenizer);
  const rest = [...turns];
  const remote = scriptedEnvironment([
    {
      onCall: ({ name }) =>
        name === "answer" ? result("Right.", { reward: 1, finished: true }) : result("5"),
    },
  ]);
  const ended = await runRollout(
    {
      clock: systemClock,
      random: RANDOM,
      log: silentLog,
      gate: new EnvironmentGate({ remote, clock: systemClock, random: RANDOM, maxSessions: 1 }),
      sampler: {
        samplerId: "scripted",
        baseModel: null,
        sample: async () => {
          const tokens = encode(rest.shift() ?? "");
          const isEnded = renderer.stopIds.includes(tokens.at(-1) ?? -1);
          const logprobs = tokens.map((id) => -(id % 7) / 3);
          return { tokens, logprobs, stopReason: isEnded ? "stop" : "length" };
        },
        computeLogprobs: async (tokens) => tokens.map(() => null),
      },
      chat: { renderer, tokenizer: model.tokenizer, retention: kept },
      settings: someSettings({ maxTotalTokens: 20_000, maxResponseTokens: 2_000 }),
      sampleSlot: async () => () => undefined,
      seedOf: () => undefined,
    },
    aTask(),
    new AbortController().signal,
  );
  return ended.finish();
}

/** Writes a tokenizer with an id for each byte, and for each of `added`, into `folder`. */
export function writeByteTokenizer(folder: string, added: readonly string[]): void {
  const byteLevel = {
    type: "ByteLevel",
    add_prefix_space: false,
    trim_offsets: false,
    use_regex: false,
  };
  const vocabulary = Object.fromEntries(BYTE_LEVEL_ALPHABET.map((text, id) => [text, id]));
  const tokenizer = {
    version: "1.0",
    added_tokens: added.map((content, at) => ({
      id: BYTE_LEVEL_ALPHABET.length + at,
      content,
      special: true,
      normalized: false,
      single_word: false,
      lstrip: false,
      rstrip: false,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: byteLevel,
    decoder: byteLevel,
    model: { type: "BPE", unk_token: null, ignore_merges: true, vocab: vocabulary, merges: [] },
  };
  mkdirSync(folder);
  writeFiles(folder, {
    "tokenizer.json": JSON.stringify(tokenizer),
    "tokenizer_config.json": "{}",
  });
}
