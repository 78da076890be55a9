/** Reads a growing run folder and adds new rows, log lines and trajectory tables to a W&B run. */

import { formatQuantity, formatReward } from "../../../../shared/format.ts";
import { isJsonObject } from "../../../json.ts";
import type { Clock, FolderFiles, Sha256 } from "../../../ports.ts";
import { parseEvent, type RunEvent } from "../../../runFolder/events.ts";
import { runPaths, stepPaths } from "../../../runFolder/files/layout.ts";
import { readLines } from "../../../runFolder/files/lineReader.ts";
import {
  flattenMetrics,
  type MetricsLeaf,
  type MetricsRow,
} from "../../../runFolder/metrics/metricsTree.ts";
import { isAnyRow, isEndRow } from "../../../runFolder/reader.ts";
import type { SyncCursor } from "../../../runFolder/wandbState.ts";
import type { Redactor } from "../../../secrets/redaction/redactor.ts";
import { oneLine } from "../../../util/textEdges.ts";
import type { ConsoleStream } from "./consoleLines.ts";
import type { ExtendedObject } from "./extendedJson.ts";
import { attemptOf, ReplayedSteps } from "./replayedSteps.ts";
import { trajectoryTable } from "./trajectoryTable.ts";
import type { WandbRun } from "./wandbRun.ts";

interface RunFeedOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
  readonly report: { readonly warning: (message: string) => void };
}

interface TableSchedule {
  /** Add a table every so many steps; 0 = only with the last one. */
  readonly saveEvery: number;
  /** Null = endless. */
  readonly totalSteps: number | null;
}

interface LogLine {
  readonly stream: ConsoleStream;
  readonly text: string;
  readonly timeMs: number;
}

/** State of one delivery. */
interface RowReport {
  readonly run: WandbRun;
  /** Lines for the log. */
  readonly lines: LogLine[];
  readonly tables: TableSchedule;
}

type FlatRow = Readonly<Record<string, MetricsLeaf>>;

/** Limits per delivery, so that neither it nor memory grows with an outage. */
const MAX_ROWS = 500;
const MAX_TABLES = 10;
const MAX_BYTES = 1 << 20;
const MAX_EVENTS = 500;
/** Well below the service's limits: `docs/protocols/wandb.md#limits`. */
const MAX_METRICS = 2_000;
const MAX_NAME = 256;
const TABLE_KEY = "rollouts";
const UNKNOWN_STEP = -1;

export class RunFeed {
  readonly #options: RunFeedOptions;
  readonly #replayed: ReplayedSteps;
  /** When rows of this attempt were written, kept until they are sent. */
  readonly #times = new Map<number, number>();
  /** Metrics already defined in {@link #run}. */
  readonly #defined = new Set<string>();
  #hasWarnedTruncated = false;
  #run: WandbRun | null = null;
  /** Offset in `metrics.jsonl` of the row of `#next`. */
  #offset = 0;
  #next = 0;

  constructor(options: RunFeedOptions) {
    this.#options = options;
    this.#replayed = new ReplayedSteps(options);
  }

  /** Records that the row of `step` was just written. */
  rowWritten(step: number): void {
    this.#times.set(step, this.#options.clock.now());
  }

  /** Number of this attempt's rows that are written but not sent yet. */
  waiting(cursor: SyncCursor): number {
    return [...this.#times.keys()].filter((step) => step >= cursor.next).length;
  }

  /** True if there is an unsent row. */
  async hasRow({ next }: SyncCursor): Promise<boolean> {
    const { fileSystem, folder } = this.#options;
    for await (const { value } of readLines(fileSystem, runPaths(folder).metrics)) {
      if (isAnyRow(value) && value.step >= next) return true;
    }
    return false;
  }

  /** Adds the next rows and events after `from` to `run`. Returns the cursor after them, null if there are none. */
  async report(run: WandbRun, from: SyncCursor, tables: TableSchedule): Promise<SyncCursor | null> {
    if (run !== this.#run) this.#defined.clear();
    this.#run = run;
    for (const step of this.#times.keys()) if (step < from.next) this.#times.delete(step);
    const lines: LogLine[] = [];
    const events = await this.#readEvents(lines, from.events);
    const rows = await this.#reportRows({ run, lines, tables }, from);
    // Sort lines of both files by time, so that rows and events keep their order if sent late.
    for (const { stream, text, timeMs } of lines.sort((a, b) => a.timeMs - b.timeMs)) {
      run.print(stream, text, timeMs);
    }
    if (events === from.events && rows.next === from.next) return null;
    return { ...rows, events };
  }

  /** Passes the rows that were already sent to `add`, to restore the summary. */
  async restoreSummary(cursor: SyncCursor, add: (values: ExtendedObject) => void): Promise<void> {
    const { fileSystem, folder } = this.#options;
    for await (const { value } of readLines(fileSystem, runPaths(folder).metrics)) {
      if (isAnyRow(value) && value.step < cursor.next) add(this.#values(value));
    }
  }

  async #readEvents(lines: LogLine[], from: number): Promise<number> {
    const { fileSystem, folder } = this.#options;
    let offset = from;
    for await (const line of readLines(fileSystem, runPaths(folder).events, from)) {
      if (lines.length === MAX_EVENTS) break;
      offset = line.offset + line.length + 1;
      const event = parseEvent(line.value);
      if (event === null || event.level === "debug") continue;
      const stream = event.level === "error" ? "stderr" : "stdout";
      lines.push({ stream, text: eventText(event), timeMs: event.timeMs });
    }
    return offset;
  }

  async #reportRows(rowReport: RowReport, from: SyncCursor): Promise<SyncCursor> {
    const { fileSystem, folder } = this.#options;
    // The cursor has moved, after a resume or because the server lost rows.
    if (from.next !== this.#next) this.#offset = 0;
    // Unknown until the delivery succeeds; a failed one is repeated from the start.
    this.#next = UNKNOWN_STEP;
    let cursor = from;
    let rows = 0;
    let bytes = 0;
    let tables = 0;
    for await (const line of readLines(fileSystem, runPaths(folder).metrics, this.#offset)) {
      this.#offset = line.offset + line.length + 1;
      if (!isAnyRow(line.value) || line.value.step < cursor.next) continue;
      if (await this.#reportRow(rowReport, line.value, cursor)) tables += 1;
      cursor = after(cursor, line.value);
      rows += 1;
      bytes += line.length;
      if (tables === MAX_TABLES || rows === MAX_ROWS || bytes >= MAX_BYTES) break;
    }
    this.#next = cursor.next;
    return cursor;
  }

  /** Returns true if a table was sent with the row. */
  async #reportRow(
    { run, lines, tables }: RowReport,
    row: MetricsRow,
    cursor: SyncCursor,
  ): Promise<boolean> {
    const { step } = row;
    const timeMs = await this.#timeOf(row);
    if (await this.#replayed.isReported(row, cursor)) return false;
    const isDue = !isEndRow(row) && isTableDue(row, tables);
    const cell = isDue ? await this.#table(run, step) : null;
    const values = this.#knownValues(run, row);
    run.log(cell === null ? values : { ...values, [TABLE_KEY]: cell }, { timeMs, step });
    lines.push({ stream: "stdout", text: `${rowLine(row)}\n`, timeMs });
    return cell !== null;
  }

  /** The values of a row to send. Defines new metrics, up to the limit. */
  #knownValues(run: WandbRun, row: MetricsRow): FlatRow {
    const known = Object.entries(this.#values(row)).filter(([name]) => {
      const isKnown = this.#defined.has(name);
      if (!isKnown && this.#defined.size === MAX_METRICS) this.#warnTruncated();
      if (isKnown || this.#defined.size === MAX_METRICS) return isKnown;
      this.#defined.add(name);
      // W&B treats dots as level separators, but these names are flat.
      run.define(name.replaceAll(".", "\\."));
      return true;
    });
    return Object.fromEntries(known);
  }

  #warnTruncated(): void {
    if (this.#hasWarnedTruncated) return;
    this.#hasWarnedTruncated = true;
    this.#options.report.warning(
      `Weights & Biases gets only the first ${MAX_METRICS} metrics of this run; metrics.jsonl has all of them.`,
    );
  }

  /** Values by flat name, with secrets redacted. */
  #values(row: MetricsRow): FlatRow {
    const entries = Object.entries(flattenMetrics(this.#options.redactor.redactRecord(row)));
    const isAccepted = (name: string): boolean => name.length <= MAX_NAME && !/\p{Cc}/u.test(name);
    return Object.fromEntries(entries.filter(([name]) => isAccepted(name)));
  }

  /** The table's cell; null if the step has no rollouts, or the server refuses the file. */
  async #table(run: WandbRun, step: number): Promise<ExtendedObject | null> {
    const { fileSystem, folder } = this.#options;
    const table = await trajectoryTable(fileSystem, folder, step);
    return table === null ? null : run.addTable(TABLE_KEY, table, step);
  }

  /** When the row was written; for rows of earlier attempts, estimated from the rollouts. */
  async #timeOf(row: MetricsRow): Promise<number> {
    const { fileSystem, folder, clock } = this.#options;
    const noted = this.#times.get(row.step);
    if (noted !== undefined) return noted;
    for await (const { value } of readLines(fileSystem, stepPaths(folder, row.step).bodies)) {
      const startedAtMs = isJsonObject(value) ? value["startedAtMs"] : null;
      const seconds = flattenMetrics(row)["time/total_s"];
      // An example was not played, so its record has no time.
      if (typeof startedAtMs !== "number" || startedAtMs === 0) break;
      if (typeof seconds !== "number") break;
      return startedAtMs + seconds * 1000;
    }
    return clock.now();
  }
}

function after(cursor: SyncCursor, row: MetricsRow): SyncCursor {
  const sent = { ...cursor.sent, [attemptOf(row)]: row.step };
  return { ...cursor, next: row.step + 1, sent };
}

function isTableDue(row: MetricsRow, { saveEvery, totalSteps }: TableSchedule): boolean {
  const { step } = row;
  // A run that refills its batches may end early, when its data runs out.
  const isLast = step + 1 === totalSteps || flattenMetrics(row)["progress/done_frac"] === 1;
  return isLast || (saveEvery > 0 && (step + 1) % saveEvery === 0);
}

function eventText({ message }: RunEvent): string {
  return `${oneLine(message)}\n`;
}

/** The step, counted from 1, and its headline numbers if any. */
function rowLine(row: MetricsRow): string {
  if (isEndRow(row)) return `evaluation after ${formatQuantity(row.step, "step")}`;
  const flat = flattenMetrics(row);
  const parts: string[] = [`step ${row.step + 1}`];
  const add = (label: string, name: string, shown: (value: number) => string): void => {
    const value = flat[name];
    if (typeof value === "number") parts.push(`${label} ${shown(value)}`);
  };
  add("reward", "rollout/reward/mean", formatReward);
  add("loss", "loss", (value) => value.toPrecision(4));
  add("rollouts", "rollout/reward/count", String);
  add("seconds", "time/total_s", (value) => value.toFixed(1));
  return parts.join("  ");
}
