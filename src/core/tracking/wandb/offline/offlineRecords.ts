/**
 * The records of a `.wandb` file (`docs/protocols/wandb.md#records`), in the words of the calls that make them. Names and numbers of the
 * fields are those of `wandb/proto/wandb_internal.proto` of the Python client.
 */

import {
  encodeMessage,
  field,
  flag,
  integer,
  message,
  optional,
  repeated,
  text,
  type WrittenMessage,
} from "../../../util/protobuf.ts";
import type { ConsoleStream } from "../run/consoleLines.ts";
import {
  type ExtendedObject,
  type ExtendedValue,
  isExtendedObject,
  writeExtended,
} from "../run/extendedJson.ts";
import { AXIS } from "../run/runSummary.ts";
import type { WandbRunInit } from "../run/wandbRun.ts";

const VERSION_INFO = { producer: field(1, text), minConsumer: field(2, text) };
const HEADER = { versionInfo: optional(1, message(VERSION_INFO)) };
/** One value of a row, a summary or a configuration, with either a key or one nested key for each level. */
const ITEM = { key: field(1, text), nestedKey: repeated(2, text), valueJson: field(16, text) };
/** Of a summary or a configuration. */
const UPDATE = { update: repeated(1, message(ITEM)) };
/** As `google.protobuf.Timestamp`. */
const TIMESTAMP = { seconds: field(1, integer), nanos: field(2, integer) };
const RUN = {
  runId: field(1, text),
  entity: field(2, text),
  project: field(3, text),
  config: optional(4, message(UPDATE)),
  runGroup: field(6, text),
  jobType: field(7, text),
  displayName: field(8, text),
  notes: field(9, text),
  tags: repeated(10, text),
  startTime: optional(17, message(TIMESTAMP)),
  telemetry: optional(19, message({ platform: field(13, text) })),
  resume: field(24, flag),
};
const HISTORY = {
  item: repeated(1, message(ITEM)),
  step: optional(2, message({ num: field(1, integer) })),
};
const FILES = { files: repeated(1, message({ path: field(1, text), type: field(3, integer) })) };
const FILE_TYPE = { other: 0, media: 2 };
const METRIC_OPTIONS = { stepSync: field(1, flag), defined: field(3, flag) };
const METRIC = {
  name: field(1, text),
  stepMetric: field(4, text),
  options: optional(6, message(METRIC_OPTIONS)),
};
const OUTPUT = {
  outputType: field(1, integer),
  timestamp: optional(2, message(TIMESTAMP)),
  line: field(3, text),
};
const OUTPUT_TYPE = { stderr: 0, stdout: 1 };
const EXIT = { exitCode: field(1, integer), runtime: field(2, integer) };
const RECORD = {
  num: field(1, integer),
  history: optional(2, message(HISTORY)),
  summary: optional(3, message(UPDATE)),
  config: optional(5, message(UPDATE)),
  files: optional(6, message(FILES)),
  metric: optional(12, message(METRIC)),
  outputRaw: optional(13, message(OUTPUT)),
  run: optional(17, message(RUN)),
  exit: optional(18, message(EXIT)),
  header: optional(21, message(HEADER)),
};

/** What a record says: one of its messages. */
export type RecordContent = WrittenMessage<typeof RECORD>;
type Item = WrittenMessage<typeof ITEM>;

const MIN_READER = "0.70.0";

/** The record's bytes, before framing. `number` is its place in the file, counted from 1. */
export function encodeRecord(content: RecordContent, number: number): Uint8Array {
  return encodeMessage(RECORD, { num: number, ...content });
}

export function headerRecord(producer: string): RecordContent {
  return { header: { versionInfo: { producer, minConsumer: MIN_READER } } };
}

/** `isResumed` lets the run continue at sync time, after what the server has of it. */
export function runRecord(
  init: WandbRunInit,
  startedAtMs: number,
  isResumed: boolean,
): RecordContent {
  return {
    run: {
      runId: init.id,
      entity: init.entity ?? "",
      project: init.project,
      config: { update: topItems(init.config) },
      runGroup: init.group ?? "",
      jobType: init.jobType ?? "",
      displayName: init.displayName ?? "",
      notes: init.notes ?? "",
      tags: init.tags ?? [],
      startTime: timestamp(startedAtMs),
      telemetry: { platform: init.platform },
      resume: isResumed,
    },
  };
}

export function metricRecord(name: string): RecordContent {
  const isAxis = name === AXIS;
  const options = { stepSync: !isAxis, defined: true };
  return { metric: { name, stepMetric: isAxis ? "" : AXIS, options } };
}

export function historyRecord(row: ExtendedObject, num: number): RecordContent {
  return { history: { item: leafItems(row), step: { num } } };
}

export function summaryRecord(update: ExtendedObject): RecordContent {
  return { summary: { update: leafItems(update) } };
}

export function configRecord(update: ExtendedObject): RecordContent {
  return { config: { update: topItems(update) } };
}

/** A file beside the `.wandb` file, to be uploaded. */
export function fileRecord(path: string, isMedia: boolean): RecordContent {
  const type = isMedia ? FILE_TYPE.media : FILE_TYPE.other;
  return { files: { files: [{ path, type }] } };
}

export function outputRecord(stream: ConsoleStream, line: string, timeMs: number): RecordContent {
  const outputType = OUTPUT_TYPE[stream];
  return { outputRaw: { outputType, timestamp: timestamp(timeMs), line } };
}

export function exitRecord(exitCode: number, runtimeS: number): RecordContent {
  return { exit: { exitCode, runtime: Math.floor(runtimeS) } };
}

function timestamp(timeMs: number): WrittenMessage<typeof TIMESTAMP> {
  const nanos = Math.round((timeMs % 1000) * 1e6);
  return { seconds: Math.floor(timeMs / 1000), nanos };
}

function topItems(values: ExtendedObject): Item[] {
  return Object.entries(values).map(([key, value]) => item([key], value));
}

/** Nested objects become an item a leaf; lists and empty objects are leaves. */
function leafItems(values: ExtendedObject, above: readonly string[] = []): Item[] {
  return Object.entries(values).flatMap(([key, value]): Item[] => {
    const path = [...above, key];
    const isBranch = isExtendedObject(value) && Object.keys(value).length > 0;
    return isBranch ? leafItems(value, path) : [item(path, value)];
  });
}

function item(path: readonly string[], value: ExtendedValue): Item {
  const [key = "", ...below] = path;
  const name = below.length === 0 ? { key } : { nestedKey: path };
  return { ...name, valueJson: writeExtended(value) };
}
