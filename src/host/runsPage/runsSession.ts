/** The page of the runs table: sends rows as they are known and when they change, while the page is visible. */

import { errorMessage } from "../../core/errors.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import { digestView } from "../../core/runs/runDigest.ts";
import { WakeableSleep } from "../../core/util/wakeableSleep.ts";
import type { ExportedFile } from "../../shared/dashboardMessages.ts";
import type { MarkChange } from "../../shared/marks.ts";
import type { RunsHostMessage, RunsTableRow } from "../../shared/runsPage.ts";
import type { FollowedRun } from "../runs/runFeed.ts";
import { runIdOf } from "../runs/runId.ts";
import type { RunEntry } from "../runs/runStore.ts";
import { compareEvaluations } from "./comparedEvaluations.ts";
import { ComparedRuns } from "./comparedRuns.ts";
import type { RunDigests } from "./runDigests.ts";
import { parseRunsMessage } from "./runsMessages.ts";

export interface RunsSessionOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** The newest first. */
  readonly runs: () => readonly RunEntry[];
  readonly digests: RunDigests;
  readonly layout: {
    /** Null = nothing was arranged yet. */
    read(): string | null;
    keep(layout: string): PromiseLike<void>;
  };
  readonly hasSingleKeys: () => boolean;
  readonly post: (message: RunsHostMessage) => void;
  readonly open: (folder: string) => void;
  readonly save: (file: ExportedFile) => Promise<void>;
  readonly fileSystem: FileSystem;
  readonly follow: (folder: string) => FollowedRun;
  /** Asks for tags, separated by commas, or a note; undefined when the person went away from the question. */
  readonly ask: (what: "tags" | "note", name: string, now: string) => Promise<string | undefined>;
  /** Shows the configurations of two run folders beside each other. */
  readonly diff: (left: string, right: string) => Promise<void>;
}

/** Rows that fill the first screen go alone, so that they are there at once. */
const FIRST_ROWS = 60;
/** The page paints these before it gets the others. */
const PAINT_MS = 150;
const SEND_PAUSE_MS = 250;
/** Runs that are read side by side. */
const READERS = 4;

export class RunsSession {
  readonly #options: RunsSessionOptions;
  readonly #sleep = new WakeableSleep();
  /** What the page has, as JSON by id. */
  readonly #sent = new Map<string, string>();
  #sentKeys = "";
  #folders: ReadonlyMap<string, string> = new Map();
  /** True when a run may have changed since the list was gone through last. */
  #isStale = true;
  #isVisible: boolean;
  #isReady = false;
  #isDisposed = false;
  #looping: Promise<void> | null = null;
  #chosen: readonly string[] | null = null;
  readonly #compared: ComparedRuns;

  constructor(options: RunsSessionOptions, { isVisible }: { readonly isVisible: boolean }) {
    this.#options = options;
    const { follow, post, digests } = options;
    this.#compared = new ComparedRuns({
      ...{ follow, post, keptCurves: (folder) => digests.curvesOf(folder) },
      onError: (error) => this.#showError(error),
    });
    this.#isVisible = isVisible;
    // While the page loads; a fault is said once the page is there.
    digests.load().catch(() => undefined);
  }

  /** Call with everything the page posts. */
  receive(value: unknown): void {
    const message = parseRunsMessage(value);
    if (message === null || this.#isDisposed) return;
    const { layout, save, open } = this.#options;
    switch (message.kind) {
      case "ready":
        this.#begin();
        return;
      case "keep":
        this.#report(layout.keep(message.layout));
        return;
      case "open": {
        const folder = this.#folders.get(message.id);
        if (folder !== undefined) open(folder);
        return;
      }
      case "export":
        this.#report(save(message.file));
        return;
      case "compare":
        this.#compared.show(this.#foldersOf(message.ids), message.names);
        return;
      case "want-evaluations":
        this.#report(this.#sendEvaluations(message.ids));
        return;
      case "star":
        this.#report(this.#mark(message.id, [{ star: message.isOn }]));
        return;
      case "edit":
        this.#report(this.#edit(message.id, message.what));
        return;
      case "diff":
        this.#report(this.#diff(message.left, message.right));
    }
  }

  /** A page that was hidden is gone; when it is shown again a new one says `ready`. */
  setVisible(isVisible: boolean): void {
    if (!isVisible) {
      this.#isReady = false;
      this.#compared.dispose();
    }
    this.#isVisible = isVisible;
    this.#wake();
  }

  /** Call when runs have changed. */
  refresh(): void {
    this.#isStale = true;
    this.#wake();
  }

  /** Call when another window has changed the mark of a run. */
  refreshMark(folder: string): void {
    this.#report(
      this.#options.digests.readMark(folder).then(() => {
        if (this.#isActive) this.#sendRows(Number.POSITIVE_INFINITY);
      }),
    );
  }

  /** Chooses runs for comparison. */
  choose(folders: readonly string[]): void {
    this.#chosen = folders.map(runIdOf);
    this.#postChosen();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#compared.dispose();
    this.#wake();
  }

  #begin(): void {
    const { post, layout, hasSingleKeys } = this.#options;
    this.#isReady = true;
    this.#compared.dispose();
    this.#sent.clear();
    this.#sentKeys = "";
    this.#isStale = true;
    post({ kind: "init", layout: layout.read(), hasSingleKeys: hasSingleKeys() });
    this.#report(this.#sendFirst());
  }

  /** Before a file of a run is read: what the list and earlier windows know is enough for a first look. */
  async #sendFirst(): Promise<void> {
    const { digests, runs, clock } = this.#options;
    await digests.load();
    if (!this.#isActive) return;
    const listed = runs();
    digests.keepOnly(new Set(listed.map(({ folder }) => folder)));
    this.#sendRows(FIRST_ROWS, listed.filter((run) => !digests.isCurrent(run)).length);
    this.#postChosen();
    await clock.sleep(PAINT_MS);
    this.#wake();
  }

  /** By id, without runs that are gone. */
  #foldersOf(ids: readonly string[]): ReadonlyMap<string, string> {
    const found = ids.map((id) => [id, this.#folders.get(id)] as const);
    return new Map(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  async #sendEvaluations(ids: readonly string[]): Promise<void> {
    const cells = await compareEvaluations(this.#options.fileSystem, this.#foldersOf(ids));
    if (this.#isActive) this.#options.post({ kind: "evaluations", ids, cells });
  }

  async #diff(left: string, right: string): Promise<void> {
    const [first, second] = [this.#folders.get(left), this.#folders.get(right)];
    if (first !== undefined && second !== undefined) await this.#options.diff(first, second);
  }

  async #mark(id: string, changes: readonly MarkChange[]): Promise<void> {
    const folder = this.#folders.get(id);
    if (folder === undefined) return;
    await this.#options.digests.change(folder, changes);
    if (this.#isActive) this.#sendRows(Number.POSITIVE_INFINITY);
  }

  async #edit(id: string, what: "tags" | "note"): Promise<void> {
    const { runs, digests, ask } = this.#options;
    const run = runs().find(({ folder }) => folder === this.#folders.get(id));
    if (run === undefined) return;
    const { tags, note } = digests.markOf(run.folder);
    const answer = await ask(what, run.name, what === "note" ? note : tags.join(", "));
    if (answer === undefined) return;
    const wanted = answer.split(",").map((tag) => tag.trim());
    const changes: readonly MarkChange[] =
      what === "note"
        ? [{ note: answer }]
        : [
            ...tags.filter((tag) => !wanted.includes(tag)).map((removeTag) => ({ removeTag })),
            ...wanted
              .filter((tag) => tag !== "" && !tags.includes(tag))
              .map((addTag) => ({ addTag })),
          ];
    await this.#mark(id, changes);
  }

  #postChosen(): void {
    if (this.#chosen === null || !this.#isActive) return;
    this.#options.post({ kind: "choose", ids: this.#chosen });
    this.#chosen = null;
  }

  #report(work: PromiseLike<void>): void {
    work.then(undefined, (error: unknown) => this.#showError(error));
  }

  #showError(error: unknown): void {
    this.#options.post({ kind: "error", message: errorMessage(error) });
  }

  get #isActive(): boolean {
    return this.#isVisible && this.#isReady && !this.#isDisposed;
  }

  #wake(): void {
    if (this.#looping !== null || !this.#isActive) return;
    this.#looping = this.#readAll()
      .catch((error: unknown) => this.#showError(error))
      .finally(() => {
        this.#looping = null;
        if (this.#isActive && this.#isStale) this.#wake();
      });
  }

  /** Reads what may have grown, and sends rows at most four times a second while it does. */
  async #readAll(): Promise<void> {
    const { digests, runs, clock } = this.#options;
    await digests.load();
    this.#isStale = false;
    const listed = runs();
    digests.keepOnly(new Set(listed.map(({ folder }) => folder)));
    const queue = listed.filter((run) => !digests.isCurrent(run));
    this.#sendRows(Number.POSITIVE_INFINITY, queue.length);
    const reading = this.#readQueue(queue);
    let isDone = false;
    const done = reading.finally(() => {
      isDone = true;
      this.#sleep.wakeOrSkipNext();
    });
    while (!isDone && this.#isActive) {
      await this.#sleep.sleep(clock, SEND_PAUSE_MS);
      if (this.#isActive) this.#sendRows(Number.POSITIVE_INFINITY, queue.length);
    }
    await done;
    if (this.#isActive) this.#sendRows(Number.POSITIVE_INFINITY);
    await digests.store();
  }

  /** Takes runs off `queue`; stops when the page is hidden, and the rest is stale again. */
  async #readQueue(queue: RunEntry[]): Promise<void> {
    const reader = async (): Promise<void> => {
      for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
        if (!this.#isActive) {
          this.#isStale = true;
          return;
        }
        // A run that cannot be read says so in its own row, and must not hide the others.
        await this.#options.digests.read(run).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }

  /** Sends up to `count` rows that the page has not as they are. */
  #sendRows(count: number, unread = 0): void {
    const { runs, digests, post } = this.#options;
    const listed = runs().slice(0, count);
    this.#folders = new Map(listed.map(({ folder }) => [runIdOf(folder), folder]));
    const settingKeys = digests.settings.differing();
    const rows: RunsTableRow[] = [];
    for (const run of listed) {
      const row = rowOf(run, digests);
      const json = JSON.stringify(row);
      if (this.#sent.get(row.id) === json) continue;
      this.#sent.set(row.id, json);
      rows.push(row);
    }
    const removed = [...this.#sent.keys()].filter((id) => !this.#folders.has(id));
    for (const id of removed) this.#sent.delete(id);
    const state = JSON.stringify([settingKeys, unread]);
    if (rows.length === 0 && removed.length === 0 && state === this.#sentKeys) return;
    this.#sentKeys = state;
    post({ kind: "rows", rows, removed, settingKeys, unread });
  }
}

function rowOf(run: RunEntry, digests: RunDigests): RunsTableRow {
  const { folder, name, phase, startedAtMs, steps, totalSteps, reward, used } = run;
  const digest = digests.of(folder);
  return {
    id: runIdOf(folder),
    name,
    state: phase === "unreadable" ? "unknown" : phase,
    ...{ startedAtMs, steps, totalSteps, reward },
    tokens: used?.tokens ?? null,
    costUsd: used?.costUsd ?? null,
    digest: digest === null ? null : digestView(digest),
    mark: digests.markOf(folder),
    settings: digests.settings.of(folder),
  };
}
