/** The window's runs, as reported by its server. */

import {
  RUN_REQUESTS,
  type RunEntry,
  type RunListReport,
  type RunPlaces,
  type SendRequest,
} from "../../api/runs.ts";
import { isAppError } from "../../core/errors.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { runFolder } from "../../node/runFolder.ts";
import type { ControlCommand } from "../../shared/control.ts";
import { ask } from "../server/ask.ts";
import { type KeptRequest, keepRequest } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";
import type { RunLabels } from "./runLabels.ts";

export type RunList = Pick<ReportedRuns, "runs" | "onDidChange" | "get" | "refresh" | "send">;

export interface ReportedRunsOptions {
  readonly server: Server;
  readonly labels: Pick<RunLabels, "opened" | "names" | "archived">;
  readonly onError: (error: unknown) => void;
}

/** How long to wait for the next server after one has ended. */
const NEXT_SERVER_MS = 10_000;

export class ReportedRuns {
  readonly #options: ReportedRunsOptions;
  readonly #changed = new Emitter<string | null>((error) => this.#options.onError(error));
  /** Fires with the folder of the changed run, or null if the list changed. */
  readonly onDidChange = this.#changed.event;
  #parents: readonly string[] = [];
  #entries: ReadonlyMap<string, RunEntry> = new Map();
  /** Runs of a list that is still arriving. */
  #coming: RunEntry[] = [];
  #watch: KeptRequest | null = null;
  /** True while no server reports the list. */
  #isLost = false;
  /** Callbacks for when a server reports it again. */
  #waiting: (() => void)[] = [];

  constructor(options: ReportedRunsOptions) {
    this.#options = options;
  }

  /** The newest first. */
  get runs(): readonly RunEntry[] {
    return [...this.#entries.values()];
  }

  get(folder: string): RunEntry | null {
    return this.#entries.get(runFolder(folder)) ?? null;
  }

  /** `parents` are folders that hold runs. */
  async look(parents: readonly string[]): Promise<void> {
    this.#parents = parents;
    await this.refresh();
  }

  /** Makes the server reread the list; if the server has ended, the next one does. */
  async refresh(): Promise<void> {
    const { server, onError } = this.#options;
    this.#watch ??= keepRequest<RunListReport>({
      server,
      method: RUN_REQUESTS.watch,
      start: () => ({}),
      onReport: (report) => this.#hear(report),
      onLost: () => {
        this.#isLost = true;
        this.#coming = [];
      },
      onAgain: () => void this.#lookAgain().catch(onError),
      onError,
    });
    const isRead = !this.#isLost && (await this.#look());
    if (!isRead) await this.#nextList();
  }

  /** Sends a command to a live run; resolves with what will happen. @throws AppError `run-not-reachable`, or the trainer's refusal */
  send(folder: string, command: ControlCommand): Promise<string> {
    const request: SendRequest = { folder, command };
    return ask<string>(this.#options.server, RUN_REQUESTS.send, request);
  }

  dispose(): void {
    this.#watch?.dispose();
  }

  /** Resolves once another server has read the list, or after a timeout, with the old list unchanged. */
  #nextList(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, NEXT_SERVER_MS);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #lookAgain(): Promise<void> {
    this.#isLost = false;
    let isOver = true;
    try {
      isOver = await this.#look();
    } finally {
      if (isOver) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** False when the server has ended before the list was read. */
  async #look(): Promise<boolean> {
    const { server, labels } = this.#options;
    const { opened, names, archived } = labels;
    const places: RunPlaces = { parents: this.#parents, opened, names, archived };
    try {
      await ask<null>(server, RUN_REQUESTS.look, { places });
      return true;
    } catch (error) {
      if (isAppError(error, "server-stopped")) return false;
      throw error;
    }
  }

  #hear(report: RunListReport): void {
    if (report.kind === "run") {
      const { run } = report;
      this.#entries = new Map(this.#entries).set(run.folder, run);
      this.#changed.fire(run.folder);
    } else if (report.kind === "part") {
      this.#coming.push(...report.runs);
    } else {
      const known = new Map(this.#entries);
      for (const run of this.#coming) known.set(run.folder, run);
      this.#coming = [];
      this.#entries = new Map(
        report.folders.flatMap((folder) => {
          const run = known.get(folder);
          return run === undefined ? [] : [[folder, run] as const];
        }),
      );
      this.#changed.fire(null);
    }
  }
}
