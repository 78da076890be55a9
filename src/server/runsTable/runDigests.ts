/** Digests, settings and marks of all runs, cached across windows, so that the table is complete before any run is read. */

import { dirname } from "node:path";
import * as z from "zod";
import type { RunEntry } from "../../api/runs.ts";
import { flatSettings, SettingsTable } from "../../core/compare/settingsTable.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readIfReadable, readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import { markRun, readMarks } from "../../core/runFolder/marks.ts";
import { type RunDigest, readDigest, runDigestSchema } from "../../core/runs/runDigest.ts";
import { sha256 } from "../../node/hash.ts";
import { hasEnded } from "../../shared/hasEnded.ts";
import { isMarked, type Mark, type MarkChange, NO_MARK } from "../../shared/marks.ts";
import { filesId } from "../../shared/runFile.ts";
import { withShortPath } from "../dashboard/configView.ts";
import { runIdOf } from "../runs/runId.ts";
import { CurveCollector, type KeptCurves, readKeptCurves } from "./keptCurves.ts";

export interface RunDigestsOptions {
  readonly fileSystem: FileSystem;
  /** The cache file for digests, next to a folder with curves; null = no cache. */
  readonly cachePath: string | null;
  readonly shortenPath: (path: string) => string;
}

type DigestedRun = Pick<RunEntry, "folder" | "file" | "phase" | "steps" | "used">;

const text = z.string();
const markSchema = z.object({
  star: z.boolean(),
  pin: z.boolean(),
  tags: z.array(text).readonly(),
  note: text,
}) satisfies z.ZodType<Mark>;

const storedSchema = z.object({
  version: z.literal(2),
  digests: z.record(text, z.unknown()),
  settings: z
    .object({
      base: z.record(text, text),
      changes: z.record(text, z.record(text, text.nullable())),
    })
    .catch({ base: {}, changes: {} }),
  /** Only of runs that have a mark. */
  marks: z.record(text, markSchema).catch({}),
});
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

export class RunDigests {
  readonly #options: RunDigestsOptions;
  readonly #digests = new Map<string, RunDigest>();
  /** Cached entries that have not been validated: there may be thousands, and the first screen needs only a few. */
  readonly #unchecked = new Map<string, unknown>();
  readonly settings = new SettingsTable();
  readonly #marks = new Map<string, Mark>();
  /** Version of each run when it was last read. */
  readonly #versions = new Map<string, string>();
  /** Removed runs whose cached curves still exist. */
  readonly #gone = new Set<string>();
  #loading: Promise<void> | null = null;
  #isChanged = false;

  constructor(options: RunDigestsOptions) {
    this.#options = options;
  }

  /** Null until the run has been read, in this window or an earlier one. */
  of(folder: string): RunDigest | null {
    const stored = this.#unchecked.get(folder);
    if (stored !== undefined) {
      this.#unchecked.delete(folder);
      const digest = runDigestSchema.safeParse(stored).data;
      if (digest !== undefined) this.#digests.set(folder, digest);
    }
    return this.#digests.get(folder) ?? null;
  }

  markOf(folder: string): Mark {
    return this.#marks.get(folder) ?? NO_MARK;
  }

  /** Changes a run's mark. @throws AppError `disk`, `mark-length`, `marks-full` */
  async change(folder: string, changes: readonly MarkChange[]): Promise<void> {
    const files = this.#options.fileSystem.within(folder);
    for (const change of changes) await markRun(files, folder, change);
    await this.readMark(folder);
  }

  /** @throws AppError `folder-unsafe` */
  async readMark(folder: string): Promise<void> {
    const files = this.#options.fileSystem.within(folder);
    const mark = (await readMarks(files, folder)).run;
    if (JSON.stringify(mark) === JSON.stringify(this.markOf(folder))) return;
    this.#marks.set(folder, mark);
    this.#isChanged = true;
  }

  /** Loads the cache of earlier windows. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** True if nothing the list knows has changed since the run was last read. */
  isCurrent(run: DigestedRun): boolean {
    return this.#versions.get(run.folder) === versionOf(run);
  }

  /** Reads a run's settings and what was appended to its metrics. @throws AppError `file-unreadable`, `folder-unsafe` */
  async read(run: DigestedRun): Promise<void> {
    const { folder, file, phase } = run;
    this.#versions.set(folder, versionOf(run));
    if (file === null && phase !== "foreign") return;
    const files = this.#options.fileSystem.within(folder);
    const config = await readResolvedConfig(files, folder);
    const shorten = (value: string): string => withShortPath(value, this.#options.shortenPath);
    // Without a configuration, the run's settings are unknown.
    const isOther =
      config === undefined
        ? this.settings.delete(folder)
        : this.settings.set(folder, flatSettings(config, { shorten, sha256 }));
    if (isOther) this.#isChanged = true;
    await this.readMark(folder);
    const before = this.of(folder) ?? undefined;
    const identity = file ?? FOREIGN;
    const curves = hasEnded(run.phase) && !hasCurves(before) ? new CurveCollector() : null;
    const digest = await (curves === null
      ? readDigest(files, folder, identity, before)
      : readDigest(files, folder, identity, undefined, curves.add));
    if (digest === before) return;
    this.#digests.set(folder, digest);
    this.#isChanged = true;
    const path = this.#curvesPath(folder);
    if (curves === null || path === null) return;
    await curves.store(this.#options.fileSystem, path, digest);
    this.#digests.set(folder, { ...digest, curvesAt: digest.offset });
  }

  /** Cached curves that match the last read of the run; null if there are none. */
  async curvesOf(folder: string): Promise<KeptCurves | null> {
    const [path, digest] = [this.#curvesPath(folder), this.of(folder)];
    if (path === null || digest === null) return null;
    return await readKeptCurves(this.#options.fileSystem, path, digest);
  }

  #curvesPath(folder: string): string | null {
    const { cachePath } = this.#options;
    return cachePath === null ? null : `${cachePath}.curves/${runIdOf(folder)}.json`;
  }

  /** Drops runs that no longer exist. */
  keepOnly(folders: ReadonlySet<string>): void {
    // An empty list has not been read yet.
    if (folders.size === 0) return;
    const known = [this.#versions, this.#digests, this.#unchecked, this.#marks];
    for (const folder of [...known.flatMap((own) => [...own.keys()]), ...this.settings.runs()]) {
      if (folders.has(folder)) continue;
      this.settings.delete(folder);
      const found = known.filter((own) => own.delete(folder));
      if (found.some((own) => own === this.#digests || own === this.#unchecked))
        this.#gone.add(folder);
    }
  }

  /** Writes the cache for later windows. @throws AppError `disk` */
  async store(): Promise<void> {
    const { cachePath, fileSystem } = this.#options;
    if (cachePath === null || (!this.#isChanged && this.#gone.size === 0)) return;
    this.#isChanged = false;
    for (const folder of this.#gone) {
      this.#gone.delete(folder);
      const curves = this.#curvesPath(folder);
      if (curves !== null && this.of(folder) === null) await fileSystem.remove(curves);
    }
    await fileSystem.makeDirectory(dirname(cachePath));
    const digests = Object.fromEntries([...this.#unchecked, ...this.#digests]);
    const marks = Object.fromEntries([...this.#marks].filter(([, mark]) => isMarked(mark)));
    const stored = { version: 2, digests, settings: this.settings.stored(), marks };
    await fileSystem.writeAtomic(cachePath, JSON.stringify(stored));
  }

  async #load(): Promise<void> {
    const { cachePath, fileSystem } = this.#options;
    if (cachePath === null) return;
    const text = await readIfReadable(fileSystem, cachePath, MAX_CACHE_BYTES);
    const stored = storedSchema.safeParse(jsonOf(text ?? "")).data;
    if (stored === undefined) return;
    for (const [folder, digest] of Object.entries(stored.digests)) {
      if (!this.#digests.has(folder)) this.#unchecked.set(folder, digest);
    }
    for (const [folder, mark] of Object.entries(stored.marks)) {
      if (!this.#marks.has(folder)) this.#marks.set(folder, mark);
    }
    this.settings.restore(stored.settings);
  }
}

/** Another program's folder has no id; it is read from the start if its metrics file has shrunk. */
const FOREIGN = { runId: "foreign", generation: 0 };

function hasCurves(digest: RunDigest | undefined): boolean {
  return digest !== undefined && digest.curvesAt === digest.offset;
}

/** Includes tokens, because an evaluation uses tokens without completing a step. */
function versionOf({ file, phase, steps, used }: DigestedRun): string {
  return `${filesId(file ?? FOREIGN)} ${phase} ${steps} ${used?.tokens}`;
}

/** Undefined if the text is not JSON; the file is then rewritten. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
