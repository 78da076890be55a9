/** The records of a `.wandb` file (W&B protocol, section 19.3). */

import type { ConsoleStream } from "../consoleLines.ts";
import {
  type ExtendedObject,
  type ExtendedValue,
  isExtendedObject,
  writeExtended,
} from "../extendedJson.ts";
import type { MetricDefinition, SummaryKind } from "../metricDefinitions.ts";
import type { WandbRunInit } from "../wandbRun.ts";
import { joinParts } from "./framing.ts";
import { messageField, numberField, textField } from "./protobuf.ts";

const MIN_READER = "0.70.0";
const KIND_FIELDS: Readonly<Record<SummaryKind, number>> = {
  min: 1,
  max: 2,
  mean: 3,
  last: 5,
  first: 8,
};

/** The record with its place in the file, counted from 1. */
export function numbered(record: Uint8Array, number: number): Uint8Array {
  return joinParts([numberField(1, number), record]);
}

export function headerRecord(producer: string): Uint8Array {
  return messageField(21, messageField(1, textField(1, producer), textField(2, MIN_READER)));
}

/** `isResumed` lets the run go on at sync time, after what was told of it before. */
export function runRecord(init: WandbRunInit, startedAtMs: number, isResumed: boolean): Uint8Array {
  return messageField(
    17,
    textField(1, init.id),
    textField(2, init.entity),
    textField(3, init.project),
    messageField(4, ...topItems(1, init.config)),
    textField(6, init.group),
    textField(7, init.jobType),
    textField(8, init.displayName),
    textField(9, init.notes),
    ...(init.tags ?? []).map((tag) => textField(10, tag)),
    timeField(17, startedAtMs),
    messageField(19, textField(13, init.platform)),
    numberField(24, isResumed ? 1 : 0),
  );
}

export function metricRecord({ name, step, summary, isHidden }: MetricDefinition): Uint8Array {
  const kinds = [...(summary ?? [])].sort((a, b) => KIND_FIELDS[a] - KIND_FIELDS[b]);
  const options = messageField(
    6,
    numberField(1, step === undefined ? 0 : 1),
    numberField(2, isHidden ? 1 : 0),
    numberField(3, 1),
  );
  return messageField(
    12,
    textField(name.endsWith("*") ? 2 : 1, name),
    textField(4, step ?? null),
    options,
    ...(kinds.length === 0
      ? []
      : [messageField(7, ...kinds.map((kind) => numberField(KIND_FIELDS[kind], 1)))]),
  );
}

export function historyRecord(row: ExtendedObject, step: number): Uint8Array {
  return messageField(2, ...leafItems(1, row), messageField(2, numberField(1, step)));
}

export function summaryRecord(update: ExtendedObject): Uint8Array {
  return messageField(3, ...leafItems(1, update));
}

export function configRecord(update: ExtendedObject): Uint8Array {
  return messageField(5, ...topItems(1, update));
}

/** A file beside the `.wandb` file, to be uploaded. */
export function fileRecord(path: string, isMedia: boolean): Uint8Array {
  return messageField(6, messageField(1, textField(1, path), numberField(3, isMedia ? 2 : 0)));
}

export function outputRecord(stream: ConsoleStream, text: string, timeMs: number): Uint8Array {
  return messageField(
    13,
    numberField(1, stream === "stdout" ? 1 : 0),
    timeField(2, timeMs),
    textField(3, text),
  );
}

export function exitRecord(exitCode: number, runtimeS: number): Uint8Array {
  return messageField(18, numberField(1, exitCode), numberField(2, Math.floor(runtimeS)));
}

function timeField(field: number, timeMs: number): Uint8Array {
  const nanos = Math.round((timeMs % 1000) * 1e6);
  return messageField(field, numberField(1, Math.floor(timeMs / 1000)), numberField(2, nanos));
}

function topItems(field: number, values: ExtendedObject): readonly Uint8Array[] {
  return Object.entries(values).map(([key, value]) => item(field, [key], value));
}

/** Nested objects become an item a leaf; lists and empty objects are leaves. */
function leafItems(field: number, values: ExtendedObject): readonly Uint8Array[] {
  return leaves(values, []).map(({ path, value }) => item(field, path, value));
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: ExtendedValue;
}

function leaves(values: ExtendedObject, above: readonly string[]): readonly Leaf[] {
  return Object.entries(values).flatMap(([key, value]): readonly Leaf[] => {
    const path = [...above, key];
    const isBranch = isExtendedObject(value) && Object.keys(value).length > 0;
    return isBranch ? leaves(value, path) : [{ path, value }];
  });
}

function item(field: number, path: readonly string[], value: ExtendedValue): Uint8Array {
  const [key = ""] = path;
  const name = path.length === 1 ? [textField(1, key)] : path.map((part) => textField(2, part));
  return messageField(field, ...name, textField(16, writeExtended(value)));
}
