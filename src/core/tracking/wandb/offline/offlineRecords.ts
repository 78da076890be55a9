/**
 * The records of a `.wandb` file (`docs/protocols/wandb.md#records`), named after the calls that create them. Field names and
 * numbers are from `wandb/proto/wandb_internal.proto` of the Python client.
 */

import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { ConsoleStream } from "../run/consoleLines.ts";
import {
  type ExtendedObject,
  type ExtendedValue,
  isExtendedObject,
  writeExtended,
} from "../run/extendedJson.ts";
import { AXIS } from "../run/runSummary.ts";
import type { WandbRunInit } from "../run/wandbRun.ts";

/** Field numbers of a message, in order. */
type Fields = Readonly<Record<string, number>>;
/** A nested message is its bytes; absent and default values are omitted, as in proto3. */
type FieldValue = string | number | boolean | Uint8Array;
type FieldValues<Of extends Fields> = Partial<
  Readonly<Record<keyof Of, FieldValue | readonly FieldValue[]>>
>;

const RECORD = {
  num: 1,
  history: 2,
  summary: 3,
  config: 5,
  files: 6,
  metric: 12,
  outputRaw: 13,
  run: 17,
  exit: 18,
  header: 21,
};
const HEADER = { versionInfo: 1 };
const VERSION_INFO = { producer: 1, minConsumer: 2 };
const RUN = {
  runId: 1,
  entity: 2,
  project: 3,
  config: 4,
  runGroup: 6,
  jobType: 7,
  displayName: 8,
  notes: 9,
  tags: 10,
  startTime: 17,
  telemetry: 19,
  resume: 24,
};
const TELEMETRY = { platform: 13 };
/** Fields of `google.protobuf.Timestamp`. */
const TIMESTAMP = { seconds: 1, nanos: 2 };
/** One value of a row, a summary or a configuration, with either a key or one nested key per level. */
const ITEM = { key: 1, nestedKey: 2, valueJson: 16 };
const HISTORY = { item: 1, step: 2 };
const HISTORY_STEP = { num: 1 };
/** Fields of a summary or configuration. */
const UPDATE = { update: 1 };
const FILES = { files: 1 };
const FILE = { path: 1, type: 3 };
const FILE_TYPE = { other: 0, media: 2 };
const METRIC = { name: 1, stepMetric: 4, options: 6 };
const METRIC_OPTIONS = { stepSync: 1, defined: 3 };
const OUTPUT = { outputType: 1, timestamp: 2, line: 3 };
const OUTPUT_TYPE = { stderr: 0, stdout: 1 };
const EXIT = { exitCode: 1, runtime: 2 };

/** The contents of a record: one of its messages. */
export type RecordContent = FieldValues<typeof RECORD>;

const MIN_READER = "0.70.0";

/** The record's bytes, before framing. `number` is its position in the file, from 1. */
export function encodeRecord(content: RecordContent, number: number): Uint8Array {
  return message(RECORD, { num: number, ...content });
}

export function headerRecord(producer: string): RecordContent {
  const versionInfo = message(VERSION_INFO, { producer, minConsumer: MIN_READER });
  return { header: message(HEADER, { versionInfo }) };
}

/** `isResumed` makes the sync append to what the server has of the run. */
export function runRecord(
  init: WandbRunInit,
  startedAtMs: number,
  isResumed: boolean,
): RecordContent {
  return {
    run: message(RUN, {
      runId: init.id,
      entity: init.entity ?? "",
      project: init.project,
      config: message(UPDATE, { update: topItems(init.config) }),
      runGroup: init.group ?? "",
      jobType: init.jobType ?? "",
      // It may have been renamed on its page.
      displayName: isResumed && !init.isNameGiven ? "" : (init.displayName ?? ""),
      notes: init.notes ?? "",
      tags: init.tags ?? [],
      startTime: timestamp(startedAtMs),
      telemetry: message(TELEMETRY, { platform: init.platform }),
      resume: isResumed,
    }),
  };
}

export function metricRecord(name: string): RecordContent {
  const isAxis = name === AXIS;
  const options = message(METRIC_OPTIONS, { stepSync: !isAxis, defined: true });
  return { metric: message(METRIC, { name, stepMetric: isAxis ? "" : AXIS, options }) };
}

export function historyRecord(row: ExtendedObject, num: number): RecordContent {
  const step = message(HISTORY_STEP, { num });
  return { history: message(HISTORY, { item: leafItems(row), step }) };
}

export function summaryRecord(update: ExtendedObject): RecordContent {
  return { summary: message(UPDATE, { update: leafItems(update) }) };
}

export function configRecord(update: ExtendedObject): RecordContent {
  return { config: message(UPDATE, { update: topItems(update) }) };
}

/** A file next to the `.wandb` file that the sync uploads. */
export function fileRecord(path: string, isMedia: boolean): RecordContent {
  const type = isMedia ? FILE_TYPE.media : FILE_TYPE.other;
  return { files: message(FILES, { files: [message(FILE, { path, type })] }) };
}

export function outputRecord(stream: ConsoleStream, line: string, timeMs: number): RecordContent {
  const outputType = OUTPUT_TYPE[stream];
  return { outputRaw: message(OUTPUT, { outputType, timestamp: timestamp(timeMs), line }) };
}

export function exitRecord(exitCode: number, runtimeS: number): RecordContent {
  return { exit: message(EXIT, { exitCode, runtime: Math.floor(runtimeS) }) };
}

function timestamp(timeMs: number): Uint8Array {
  const nanos = Math.round((timeMs % 1000) * 1e6);
  return message(TIMESTAMP, { seconds: Math.floor(timeMs / 1000), nanos });
}

function topItems(values: ExtendedObject): Uint8Array[] {
  return Object.entries(values).map(([key, value]) => item([key], value));
}

/** Nested objects become one item per leaf; lists and empty objects are leaves. */
function leafItems(values: ExtendedObject, above: readonly string[] = []): Uint8Array[] {
  return Object.entries(values).flatMap(([key, value]): Uint8Array[] => {
    const path = [...above, key];
    const isBranch = isExtendedObject(value) && Object.keys(value).length > 0;
    return isBranch ? leafItems(value, path) : [item(path, value)];
  });
}

function item(path: readonly string[], value: ExtendedValue): Uint8Array {
  const [key = "", ...below] = path;
  const name = below.length === 0 ? { key } : { nestedKey: path };
  return message(ITEM, { ...name, valueJson: writeExtended(value) });
}

function message<Of extends Fields>(fields: Of, values: FieldValues<Of>): Uint8Array {
  const writer = new BinaryWriter();
  for (const [name, number] of Object.entries(fields)) {
    const value: FieldValue | readonly FieldValue[] | undefined = values[name];
    if (value === undefined || isDefault(value)) continue;
    for (const each of isList(value) ? value : [value]) addField(writer, number, each);
  }
  return writer.finish();
}

function isDefault(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

function isList(value: unknown): value is readonly FieldValue[] {
  return Array.isArray(value);
}

function addField(writer: BinaryWriter, number: number, value: FieldValue): void {
  if (typeof value === "string") writer.tag(number, WireType.LengthDelimited).string(value);
  else if (typeof value === "number") writer.tag(number, WireType.Varint).int64(value);
  else if (typeof value === "boolean") writer.tag(number, WireType.Varint).bool(value);
  else writer.tag(number, WireType.LengthDelimited).bytes(value);
}
