/** What was read of all runs: their digests and settings, kept between windows so that no file is read twice. */

import * as z from "zod";
import { flatSettings, SettingsTable } from "../../core/compare/settingsTable.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/layout.ts";
import { markRun, readMarks } from "../../core/runFolder/marks.ts";
import { MAX_BYTES, readIfReadable } from "../../core/runFolder/wholeFiles.ts";
import { type RunDigest, readDigest, runDigestSchema } from "../../core/runs/runDigest.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { type Mark, type MarkChange, NO_MARK } from "../../shared/marks.ts";
import { runIdOf } from "../runs/runId.ts";
import type { RunEntry } from "../runs/runStore.ts";
import { CurveCollector, type KeptCurves, readKeptCurves } from "./keptCurves.ts";

export interface RunDigestsOptions {
  readonly fileSystem: FileSystem;
  /** The file in which digests are kept, beside a folder with curves; null = they are not. */
  readonly cachePath: string | null;
  readonly shortenPath: (path: string) => string;
}

type DigestedRun = Pick<RunEntry, "folder" | "file" | "phase" | "steps">;

const storedSchema = z.object({
  version: z.literal(1),
  digests: z.record(z.string(), z.unknown()),
});
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

export class RunDigests {
  readonly #options: RunDigestsOptions;
  readonly #digests = new Map<string, RunDigest>();
  readonly settings = new SettingsTable();
  readonly #marks = new Map<string, Mark>();
  /** Of the runs as they were read last. */
  readonly #versions = new Map<string, string>();
  /** Forgotten runs whose curves are still there. */
  readonly #gone = new Set<string>();
  #loading: Promise<void> | null = null;
  #isChanged = false;

  constructor(options: RunDigestsOptions) {
    this.#options = options;
  }

  /** Null until the run was read, in this window or an earlier one. */
  of(folder: string): RunDigest | null {
    return this.#digests.get(folder) ?? null;
  }

  markOf(folder: string): Mark {
    return this.#marks.get(folder) ?? NO_MARK;
  }

  /** Changes the mark of a run. @throws AppError `disk`, `marks-full` */
  async change(folder: string, changes: readonly MarkChange[]): Promise<void> {
    const files = this.#options.fileSystem.within(folder);
    for (const change of changes) await markRun(files, folder, change);
    await this.readMark(folder);
  }

  /** @throws AppError `folder-unsafe` */
  async readMark(folder: string): Promise<void> {
    const files = this.#options.fileSystem.within(folder);
    this.#marks.set(folder, (await readMarks(files, folder)).run);
  }

  /** Takes over what earlier windows kept. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** True when nothing that the list knows has changed since the run was read. */
  isCurrent(run: DigestedRun): boolean {
    return this.#versions.get(run.folder) === versionOf(run);
  }

  /** Reads the settings of a run, and what was added to it. @throws AppError `file-unreadable`, `folder-unsafe` */
  async read(run: DigestedRun): Promise<void> {
    const { folder, file, phase } = run;
    this.#versions.set(folder, versionOf(run));
    if (file === null && phase !== "foreign") return;
    const files = this.#options.fileSystem.within(folder);
    const { resolvedConfig } = runPaths(folder);
    const text = await readIfReadable(files, resolvedConfig, MAX_BYTES.resolvedConfig);
    const config = parseJson(text ?? "")?.value;
    // Without a configuration nothing is known to differ.
    if (config === undefined) this.settings.delete(folder);
    else {
      const settings = flatSettings(config, (value) => this.#withoutPath(value));
      this.settings.set(folder, settings);
    }
    await this.readMark(folder);
    const before = this.#digests.get(folder);
    const identity = file ?? FOREIGN;
    const curves = isEnded(run) && !hasCurves(before) ? new CurveCollector() : null;
    const digest = await (curves === null
      ? readDigest(files, folder, identity, before)
      : readDigest(files, folder, identity, undefined, curves.add));
    if (digest === before) return;
    this.#digests.set(folder, curves === null ? digest : { ...digest, curvesAt: digest.offset });
    this.#isChanged = true;
    const path = this.#curvesPath(folder);
    if (path !== null) await curves?.store(this.#options.fileSystem, path, digest);
  }

  /** The curves of the run as it was read last; null where none are kept. */
  async curvesOf(folder: string): Promise<KeptCurves | null> {
    const [path, digest] = [this.#curvesPath(folder), this.of(folder)];
    if (path === null || digest === null) return null;
    return await readKeptCurves(this.#options.fileSystem, path, digest);
  }

  #curvesPath(folder: string): string | null {
    const { cachePath } = this.#options;
    return cachePath === null ? null : `${cachePath}.curves/${runIdOf(folder)}.json`;
  }

  /** Forgets runs that are gone. */
  keepOnly(folders: ReadonlySet<string>): void {
    // The list is empty until it was read.
    if (folders.size === 0) return;
    for (const folder of [...this.#versions.keys(), ...this.#digests.keys()]) {
      if (folders.has(folder)) continue;
      this.#versions.delete(folder);
      this.settings.delete(folder);
      this.#marks.delete(folder);
      if (this.#digests.delete(folder)) this.#gone.add(folder);
    }
  }

  /** Keeps what was read for later windows. @throws AppError `disk` */
  async store(): Promise<void> {
    const { cachePath, fileSystem } = this.#options;
    if (cachePath === null || (!this.#isChanged && this.#gone.size === 0)) return;
    this.#isChanged = false;
    for (const folder of this.#gone) {
      this.#gone.delete(folder);
      const curves = this.#curvesPath(folder);
      if (curves !== null && !this.#digests.has(folder)) await fileSystem.remove(curves);
    }
    await fileSystem.makeDirectory(cachePath.replace(/[\\/][^\\/]*$/, ""));
    const digests = Object.fromEntries(this.#digests);
    await fileSystem.writeAtomic(cachePath, JSON.stringify({ version: 1, digests }));
  }

  async #load(): Promise<void> {
    const { cachePath, fileSystem } = this.#options;
    if (cachePath === null) return;
    const text = await readIfReadable(fileSystem, cachePath, MAX_CACHE_BYTES);
    const stored = storedSchema.safeParse(jsonOf(text ?? "")).data;
    for (const [folder, value] of Object.entries(stored?.digests ?? {})) {
      const digest = runDigestSchema.safeParse(value).data;
      if (digest !== undefined) this.#digests.set(folder, digest);
    }
  }

  #withoutPath(text: string): string {
    return /^(\/|[A-Za-z]:[\\/])/.test(text) ? this.#options.shortenPath(text) : text;
  }
}

/** Another program's folder has no id; it is read anew when its metrics have become shorter. */
const FOREIGN = { runId: "foreign", generation: 0 };

const ENDED: readonly string[] = ["done", "stopped", "failed", "interrupted"];

function isEnded({ phase }: DigestedRun): boolean {
  return ENDED.includes(phase);
}

function hasCurves(digest: RunDigest | undefined): boolean {
  return digest !== undefined && digest.curvesAt === digest.offset;
}

function versionOf({ file, phase, steps }: DigestedRun): string {
  return `${file?.runId} ${file?.generation} ${file?.attempt} ${phase} ${steps}`;
}

/** Undefined for what is not JSON: the file is then written anew. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
