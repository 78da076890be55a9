/** A run on a W&B server: sends rows, log lines and files in order, one request at a time: `docs/protocols/wandb.md#file-stream`. */

import { withoutUndefined } from "../../../../shared/withoutUndefined.ts";
import { errorMessage, isAppError } from "../../../errors.ts";
import type { Clock, Random, Sha256 } from "../../../ports.ts";
import type { ReferenceArtifact } from "../run/checkpointArtifact.ts";
import { ConsoleLines, type ConsoleStream, consoleLine } from "../run/consoleLines.ts";
import {
  type ExtendedObject,
  type ExtendedValue,
  isExtendedObject,
  parseExtended,
  writeExtended,
} from "../run/extendedJson.ts";
import { type RowTime, RunSummary } from "../run/runSummary.ts";
import { type Table, tableFile } from "../run/tableFile.ts";
import type { WandbRun, WandbRunInit } from "../run/wandbRun.ts";
import { LineQueue, MAX_LINE_BYTES } from "./lineQueue.ts";
import {
  parsedObject,
  type ResumeBucket,
  type RunNames,
  type UpsertedBucket,
  WandbOperations,
} from "./operations.ts";
import type { WandbRequests } from "./requests.ts";

interface OnlineRunOptions {
  readonly requests: WandbRequests;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly random: Pick<Random, "uuid">;
  /** Called on each answer with whether someone pressed Stop on the run's page. */
  readonly onStopFlag: (isStopped: boolean) => void;
  /** Called with a message about anything that cannot be sent. */
  readonly onWarning: (message: string) => void;
}

/** Line counts on the server. */
interface LineCounts {
  readonly history: number;
  readonly log: number;
}

const TIMEOUT_MS = 180_000;

/**
 * Creates or continues the run.
 * @throws AppError `wandb-refused`
 */
export async function openOnlineRun(
  options: OnlineRunOptions,
  init: WandbRunInit,
): Promise<OnlineRun> {
  const operations = new WandbOperations(options.requests);
  await operations.requireViewer();
  const names = { name: init.id, project: init.project, entity: init.entity };
  const before = await operations.resumeStatus(names);
  const config = { ...keptConfig(before), ...init.config };
  const bucket = await operations.upsert({
    ...names,
    id: before?.id ?? null,
    displayName: before === null || init.isNameGiven ? init.displayName : null,
    groupName: init.group,
    jobType: init.jobType,
    notes: init.notes ?? before?.notes ?? null,
    tags: joinedTags(before?.tags ?? null, init.tags),
    program: init.program,
    config: wrappedConfig(config, init.platform, []),
  });
  return new OnlineRun({ parts: options, operations, init: { ...init, config }, bucket, before });
}

interface OnlineRunStart {
  readonly parts: OnlineRunOptions;
  readonly operations: WandbOperations;
  readonly init: WandbRunInit;
  readonly bucket: UpsertedBucket;
  readonly before: ResumeBucket | null;
}

export class OnlineRun implements WandbRun {
  /** The names that the server uses. */
  readonly names: RunNames & { readonly entity: string };
  /** The server's counts when this attempt began. */
  readonly found: LineCounts;
  /** The server's last row at that time; null if there was none. */
  readonly lastRow: ExtendedObject | null;
  readonly #options: OnlineRunOptions;
  readonly #operations: WandbOperations;
  readonly #platform: string;
  readonly #runSummary: RunSummary;
  readonly #history: LineQueue;
  readonly #log: LineQueue;
  readonly #console = { stdout: new ConsoleLines(), stderr: new ConsoleLines() };
  #uploaded: string[] = [];
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #isConfigNew = false;
  #isSummaryNew = false;

  constructor({ parts, operations, init, bucket, before }: OnlineRunStart) {
    const history = Math.max(bucket.historyLineCount ?? 0, before?.historyLineCount ?? 0);
    this.found = { history, log: before?.logLineCount ?? 0 };
    this.lastRow = lastLine(before?.historyTail);
    this.names = {
      name: init.id,
      project: bucket.project.name,
      entity: bucket.project.entity.name,
    };
    this.#options = parts;
    this.#operations = operations;
    this.#platform = init.platform;
    this.#history = new LineQueue(this.found.history);
    this.#log = new LineQueue(this.found.log);
    const summary = parsedObject(before?.summaryMetrics);
    this.#runSummary = new RunSummary({
      config: init.config,
      startedAtMs: parts.clock.now(),
      nextStep: nextStep(this.lastRow, summary, before),
      runtimeS: spentSeconds(this.lastRow, summary, lastLine(before?.eventsTail)),
      summary,
    });
  }

  /** The server's counts once everything so far is sent. */
  get counts(): LineCounts {
    return { history: this.#history.end, log: this.#log.end };
  }

  get runSummary(): Pick<RunSummary, "nextStep" | "runtimeS"> {
    return this.#runSummary;
  }

  /** When the last file stream request was answered, in `Clock.monotonic` time. */
  get lastSentMs(): number {
    return this.#lastSentMs;
  }

  define(name: string): void {
    this.#runSummary.define(name);
    this.#isConfigNew = true;
  }

  log(values: ExtendedObject, at: RowTime): void {
    const line = writeExtended(this.#runSummary.row(values, at));
    this.#isSummaryNew = true;
    if (this.#history.add(line)) return;
    this.#options.onWarning(`a row is longer than ${MAX_LINE_BYTES} bytes and was not sent`);
  }

  updateConfig(update: ExtendedObject): void {
    this.#runSummary.updateConfig(update);
    this.#isConfigNew = true;
  }

  updateSummary(update: ExtendedObject): void {
    this.#runSummary.updateSummary(update);
    this.#isSummaryNew = true;
  }

  print(stream: ConsoleStream, text: string, timeMs: number): void {
    for (const line of this.#console[stream].add(text)) {
      this.#log.add(consoleLine(stream, line, timeMs));
    }
  }

  async addFile(path: string, text: string): Promise<boolean> {
    const refusal = await refusalOf(this.#operations.uploadFile(this.names, path, text));
    if (refusal === null) this.#uploaded.push(path);
    else this.#options.onWarning(`the file ${path} was not uploaded (${refusal})`);
    return refusal === null;
  }

  async addTable(key: string, table: Table, step: number): Promise<ExtendedObject | null> {
    const { path, text, cell } = tableFile(this.#options.sha256, key, step, table);
    return (await this.addFile(path, text)) ? cell : null;
  }

  async addArtifact(artifact: ReferenceArtifact): Promise<void> {
    const { random, onWarning } = this.#options;
    const newId = (): string => Array.from({ length: 4 }, random.uuid).join("").replaceAll("-", "");
    const ids = [newId(), newId()] as const;
    const refusal = await refusalOf(this.#operations.addArtifact(this.names, artifact, ids));
    if (refusal === null) return;
    onWarning(`the artifact ${artifact.name} was not uploaded (${refusal})`);
  }

  async flush(): Promise<void> {
    if (this.#isConfigNew) await this.#sendConfig();
    while (this.#hasWork()) await this.#sendPart();
  }

  /** Sends an empty request, so that the server considers the run alive. */
  async heartbeat(): Promise<void> {
    await this.#post("{}");
  }

  async finish(exitCode: number): Promise<void> {
    for (const stream of ["stdout", "stderr"] as const) {
      for (const line of this.#console[stream].end()) {
        this.#log.add(consoleLine(stream, line, this.#options.clock.now()));
      }
    }
    await this.#sendConfig();
    await this.flush();
    const summary = writeExtended(this.#runSummary.lastSummary(this.#options.clock.now()));
    const files = { "wandb-summary.json": { offset: 0, content: [summary] } };
    await this.#post(JSON.stringify({ files, complete: true, exitcode: exitCode }));
  }

  async #sendConfig(): Promise<void> {
    this.#isConfigNew = false;
    const { config, definitions } = this.#runSummary;
    const text = wrappedConfig(config, this.#platform, definitions);
    await this.#operations.upsert({ ...this.names, config: text });
  }

  #hasWork(): boolean {
    const isQueued = this.#history.length > 0 || this.#log.length > 0;
    return isQueued || this.#isSummaryNew || this.#uploaded.length > 0;
  }

  /** Sends one request; whatever does not fit waits for the next. The summary follows the last row. */
  async #sendPart(): Promise<void> {
    const history = this.#history.part();
    const log = history.isLast ? this.#log.part() : null;
    const uploaded = this.#uploaded;
    const summary = writeExtended(this.#runSummary.summary());
    const isSummarySent = history.isLast && this.#isSummaryNew;
    const files = withoutUndefined({
      "wandb-history.jsonl": history.lines.length > 0 ? history.wire : undefined,
      "wandb-summary.json": isSummarySent ? { offset: 0, content: [summary] } : undefined,
      "output.log": log !== null && log.lines.length > 0 ? log.wire : undefined,
    });
    await this.#post(
      JSON.stringify({
        files: Object.keys(files).length > 0 ? files : undefined,
        uploaded: uploaded.length > 0 ? uploaded : undefined,
      }),
    );
    this.#history.drop(history);
    if (log !== null) this.#log.drop(log);
    this.#uploaded = this.#uploaded.slice(uploaded.length);
    if (isSummarySent) this.#isSummaryNew = false;
  }

  async #post(body: string): Promise<void> {
    const { entity, project, name } = this.names;
    const parts = [entity, project, name].map(encodeURIComponent).join("/");
    const path = `/files/${parts}/file_stream`;
    const answer = await this.#options.requests.post({ path, body, timeoutMs: TIMEOUT_MS });
    this.#lastSentMs = this.#options.clock.monotonic();
    this.#options.onStopFlag(answer?.["stopped"] === true);
  }
}

/** Null if accepted, else the reason. A refused upload must not hold back the rows after it. */
async function refusalOf(upload: Promise<boolean>): Promise<string | null> {
  try {
    return (await upload) ? null : "it was not accepted";
  } catch (error) {
    if (isAppError(error, "wandb-refused")) return errorMessage(error);
    throw error;
  }
}

/** Wraps every value. Without `t`, a later resume would not find the run: `docs/protocols/wandb.md#config`. */
function wrappedConfig(
  config: ExtendedObject,
  platform: string,
  metrics: readonly ExtendedObject[],
): string {
  const wrapped = Object.entries(config).map(([key, value]) => [key, { value }] as const);
  const reserved = { value: { t: { "13": platform }, m: metrics } };
  return writeExtended({ ...Object.fromEntries(wrapped), _wandb: reserved });
}

/** The configuration as originally given, without the server's own entries. */
function keptConfig(before: ResumeBucket | null): ExtendedObject {
  const kept = Object.entries(parsedObject(before?.config)).flatMap(
    ([key, wrapped]): [string, ExtendedValue][] => {
      const value = isExtendedObject(wrapped) ? wrapped["value"] : undefined;
      return key === "_wandb" || value === undefined ? [] : [[key, value]];
    },
  );
  return Object.fromEntries(kept);
}

/** Keeps tags that were added on the run's page. */
function joinedTags(
  before: readonly string[] | null,
  own: readonly string[] | null,
): readonly string[] | null {
  if (before === null || own === null) return own ?? before;
  return [...new Set([...before, ...own])];
}

/** The last line of a tail that is stored as text. */
function lastLine(tail: string | null | undefined): ExtendedObject | null {
  const lines = parseExtended(tail ?? "")?.value;
  const last: unknown = Array.isArray(lines) ? lines.at(-1) : undefined;
  return typeof last === "string" ? parsedObject(last) : null;
}

/** The `_step` of the first row that this attempt adds. */
function nextStep(
  lastRow: ExtendedObject | null,
  summary: ExtendedObject,
  before: ResumeBucket | null,
): number {
  if (before === null || before.historyLineCount === 0) return 0;
  return (wholeNumber(lastRow?.["_step"]) ?? wholeNumber(summary["_step"]) ?? 0) + 1;
}

/** Whole seconds that the run took before this attempt. */
function spentSeconds(
  lastRow: ExtendedObject | null,
  summary: ExtendedObject,
  lastEvent: ExtendedObject | null,
): number {
  const own = summary["_wandb"];
  const spent = isExtendedObject(own) ? own["runtime"] : undefined;
  const all = [lastEvent?.["_runtime"], spent ?? summary["_runtime"], lastRow?.["_runtime"]];
  return Math.max(0, ...all.filter((value) => typeof value === "number").map(Math.floor));
}

function wholeNumber(value: ExtendedValue | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}
