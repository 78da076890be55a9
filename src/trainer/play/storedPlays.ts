/** The run folder of plays: an evaluation whose model is the player, so that all views and searches of rollouts include them. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { successReward } from "../../core/config/fields/presets.ts";
import type { EvaluationCell } from "../../core/config/rules/evaluationCells.ts";
import { environmentConfig } from "../../core/config/taskChoices.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { FinishedRollout } from "../../core/rollout/rollout.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import {
  createRolloutStore,
  type RolloutStore,
} from "../../core/runFolder/rollouts/rolloutStore.ts";
import { startRun } from "../../core/runFolder/runFolder.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { summarizeEvaluation } from "../../core/training/evaluation/evaluation.ts";
import {
  type PlayedRollout,
  playedRollout,
} from "../../core/training/evaluation/storedEvaluation.ts";
import { storedRecord } from "../../core/training/generation/storedRecord.ts";
import { evaluatedTokens } from "../../core/training/update/tokenRecords.ts";
import { encodeJsonLine } from "../../core/util/jsonl.ts";
import { systemClock } from "../../node/clock.ts";
import { sha256 } from "../../node/hash.ts";
import { runName, runParent } from "../../node/runPaths.ts";
import { type LoadedConfig, writeConfigFiles } from "../config/configFiles.ts";
import type { ServerOutput } from "../services/serverOutput.ts";

export interface StoredPlaysOptions {
  readonly fileSystem: FileSystem;
  readonly loaded: LoadedConfig;
  readonly cell: EvaluationCell;
  /** Display name of the player. */
  readonly player: string;
  /** The checkpoint that plays; null for other players. */
  readonly path: string | null;
  readonly redactor: Redactor;
  readonly serverOutput: ServerOutput;
}

interface OpenFolder {
  readonly lease: RunLease;
  readonly store: RolloutStore;
}

const PURPOSE = "asked";

/** Creates its folder with the first rollout, so that an aborted play leaves nothing behind. All methods throw AppError `disk`. */
export class StoredPlays {
  readonly #options: StoredPlaysOptions;
  #opened: Promise<OpenFolder> | null = null;
  readonly #played: PlayedRollout[] = [];

  constructor(options: StoredPlaysOptions) {
    this.#options = options;
  }

  async add(rollout: FinishedRollout): Promise<void> {
    this.#opened ??= this.#open();
    const { lease, store } = await this.#opened;
    const { cell, player } = this.#options;
    const storage = { fileSystem: lease.files, folder: lease.folder };
    const record = await storedRecord({ storage, ports: { sha256 } }, rollout);
    const use = { temperature: cell.temperature, purpose: PURPOSE, model: player };
    await store.addEvaluated(record, use, evaluatedTokens(rollout));
    this.#played.push(playedRollout(record));
  }

  /** Writes the results. Resolves with the folder; null if there were no rollouts. */
  async end(): Promise<string | null> {
    if (this.#opened === null) return null;
    const { cell, loaded, player, path } = this.#options;
    const { lease } = await this.#opened;
    const own = environmentConfig(loaded.config, cell.environment);
    const result = summarizeEvaluation(cell, this.#played, {
      successReward: successReward(own),
      failureReward: null,
      baseline: [],
    });
    const model = { name: player, path };
    const at = { step: 0, purpose: PURPOSE, model, timeMs: systemClock.now() };
    const line = encodeJsonLine({ ...at, results: [result] });
    await lease.files.append(runPaths(lease.folder).evaluations, line);
    await lease.end({ phase: "done" });
    return lease.folder;
  }

  async #open(): Promise<OpenFolder> {
    const { fileSystem, loaded, player, path, redactor, serverOutput } = this.#options;
    const { config, path: configPath } = loaded;
    const runId = randomUUID();
    const lease = await startRun(
      { fileSystem, clock: systemClock },
      {
        owner: "terminal",
        configPath,
        pid: process.pid,
        host: hostname(),
        parent: runParent(config, configPath),
        name: `${runName(config, configPath)}-play`,
        runId,
        // A unique digest, so that no evaluation continues in this folder.
        evaluation: { models: [{ name: player, path, step: 0 }], digest: sha256(runId) },
      },
    );
    const { files, folder } = lease;
    await writeConfigFiles(files, folder, loaded, redactor);
    await files.makeDirectory(runPaths(folder).evalFolder);
    serverOutput.attach(files, folder);
    await lease.update({ phase: "running" });
    const store = createRolloutStore({ fileSystem: files, redactor, folder });
    return { lease, store };
  }
}
