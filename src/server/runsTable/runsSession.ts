/** The runs table page: sends rows when they become known and when they change, while the page is visible. */

import type { RunEntry } from "../../api/runs.ts";
import { errorMessage } from "../../core/errors.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import { WakeableSleep } from "../../core/util/wakeableSleep.ts";
import type { ExportedFile } from "../../shared/dashboardMessages.ts";
import type { MarkChange } from "../../shared/marks.ts";
import type { FollowedRun } from "../runs/runFeed.ts";
import { runIdOf } from "../runs/runId.ts";
import { compareEvaluations } from "./comparedEvaluations.ts";
import { ComparedRuns } from "./comparedRuns.ts";
import { parseRunsMessage } from "./runsMessages.ts";
import { SentRows, type SentRowsOptions } from "./sentRows.ts";

export interface RunsSessionOptions extends SentRowsOptions {
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  readonly layout: {
    /** Null = no layout stored yet. */
    read(): string | null;
    keep(layout: string): PromiseLike<void>;
  };
  readonly hasSingleKeys: () => boolean;
  readonly open: (folder: string) => Promise<void>;
  readonly save: (file: ExportedFile) => Promise<void>;
  readonly fileSystem: FileSystem;
  readonly follow: (folder: string) => FollowedRun;
  /** Asks for comma-separated tags or a note; undefined if the user dismissed the prompt. */
  readonly ask: (what: "tags" | "note", name: string, now: string) => Promise<string | undefined>;
  /** Shows the configurations of two run folders side by side. */
  readonly diff: (left: string, right: string) => Promise<void>;
}

/** The rows of the first screen are sent separately, so that they appear immediately. */
const FIRST_ROWS = 60;
/** Time for the page to paint them before it receives the rest. */
const PAINT_MS = 500;
const SEND_PAUSE_MS = 250;
/** Number of runs read in parallel. */
const READERS = 4;

export class RunsSession {
  readonly #options: RunsSessionOptions;
  readonly #sleep = new WakeableSleep();
  readonly #rows: SentRows;
  /** True if a run may have changed since the last pass over the list. */
  #isStale = true;
  #isVisible: boolean;
  #isReady = false;
  #isDisposed = false;
  #looping: Promise<void> | null = null;
  #chosen: readonly string[] | null = null;
  /** Id of a sweep that the page is yet to show. */
  #sweep: string | null = null;
  readonly #compared: ComparedRuns;

  constructor(options: RunsSessionOptions, { isVisible }: { readonly isVisible: boolean }) {
    this.#options = options;
    const { clock, follow, post, digests } = options;
    this.#rows = new SentRows(options);
    this.#compared = new ComparedRuns({
      clock,
      follow,
      post,
      keptCurves: (folder) => digests.curvesOf(folder),
      onError: (error) => this.#showError(error),
    });
    this.#isVisible = isVisible;
    // Loads while the page loads; errors are reported once the page is ready.
    digests.load().catch(() => undefined);
  }

  /** Call with every message from the page. */
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
        const folder = this.#rows.folderOf(message.id);
        if (folder !== undefined) this.#report(open(folder));
        return;
      }
      case "export":
        this.#report(save(message.file));
        return;
      case "compare":
        this.#compared.show(this.#rows.foldersOf(message.ids), message.names);
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

  /** A hidden page is destroyed; when shown again, a new page sends `ready`. */
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

  /** Call when another window has changed a run's mark. */
  refreshMark(folder: string): void {
    this.#report(
      this.#options.digests.readMark(folder).then(() => {
        if (this.#isActive) this.#rows.sendAll();
      }),
    );
  }

  /** Selects runs for comparison. */
  choose(folders: readonly string[]): void {
    this.#chosen = folders.map(runIdOf);
    this.#postChosen();
  }

  /** Shows which setting of the sweep mattered. */
  showSweep(id: string): void {
    this.#sweep = id;
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
    this.#rows.forget();
    this.#isStale = true;
    post({ kind: "init", layout: layout.read(), hasSingleKeys: hasSingleKeys() });
    this.#report(this.#sendFirst());
  }

  /** Sends the first rows before any run is read, from the list and the cache. */
  async #sendFirst(): Promise<void> {
    const { digests, runs, clock } = this.#options;
    await digests.load();
    if (!this.#isActive) return;
    const listed = runs();
    digests.keepOnly(new Set(listed.map(({ folder }) => folder)));
    this.#rows.send(FIRST_ROWS, listed.filter((run) => !digests.isCurrent(run)).length);
    this.#postChosen();
    await clock.sleep(PAINT_MS);
    this.#wake();
  }

  async #sendEvaluations(ids: readonly string[]): Promise<void> {
    const cells = await compareEvaluations(this.#options.fileSystem, this.#rows.foldersOf(ids));
    if (this.#isActive) this.#options.post({ kind: "evaluations", ids, cells });
  }

  async #diff(left: string, right: string): Promise<void> {
    const [first, second] = [this.#rows.folderOf(left), this.#rows.folderOf(right)];
    if (first !== undefined && second !== undefined) await this.#options.diff(first, second);
  }

  async #mark(id: string, changes: readonly MarkChange[]): Promise<void> {
    const folder = this.#rows.folderOf(id);
    if (folder === undefined) return;
    await this.#options.digests.change(folder, changes);
    if (this.#isActive) this.#rows.sendAll();
  }

  async #edit(id: string, what: "tags" | "note"): Promise<void> {
    const { runs, digests, ask } = this.#options;
    const run = runs().find(({ folder }) => folder === this.#rows.folderOf(id));
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
    if (!this.#isActive) return;
    const { post } = this.#options;
    if (this.#chosen !== null) post({ kind: "choose", ids: this.#chosen });
    if (this.#sweep !== null) post({ kind: "show-sweep", id: this.#sweep });
    this.#chosen = null;
    this.#sweep = null;
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

  /** Reads runs that may have grown, and sends rows at most four times per second meanwhile. */
  async #readAll(): Promise<void> {
    const { digests, runs, clock } = this.#options;
    await digests.load();
    this.#isStale = false;
    const listed = runs();
    digests.keepOnly(new Set(listed.map(({ folder }) => folder)));
    const queue = listed.filter((run) => !digests.isCurrent(run));
    this.#rows.sendAll(queue.length);
    const reading = this.#readQueue(queue);
    let isDone = false;
    const done = reading.finally(() => {
      isDone = true;
      this.#sleep.wakeOrSkipNext();
    });
    while (!isDone && this.#isActive) {
      await this.#sleep.sleep(clock, SEND_PAUSE_MS);
      if (this.#isActive) this.#rows.sendAll(queue.length);
    }
    await done;
    if (this.#isActive) this.#rows.sendAll();
    await digests.store();
  }

  /** Takes runs off `queue`. Stops when the page is hidden, which leaves the rest stale. */
  async #readQueue(queue: RunEntry[]): Promise<void> {
    const reader = async (): Promise<void> => {
      for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
        if (!this.#isActive) {
          this.#isStale = true;
          return;
        }
        // An unreadable run shows that in its own row, and must not block the others.
        await this.#options.digests.read(run).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }
}
