/** The records of a `.wandb` file (`docs/protocols/wandb.md#records`), in the words of the calls that make them. */

import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { ConsoleStream } from "../run/consoleLines.ts";
import {
  type ExtendedObject,
  type ExtendedValue,
  isExtendedObject,
  writeExtended,
} from "../run/extendedJson.ts";
import type { MetricDefinition } from "../run/metricDefinitions.ts";
import type { WandbRunInit } from "../run/wandbRun.ts";
import {
  FilesItem_FileType,
  type ItemSchema,
  OutputRawRecord_OutputType,
  RecordSchema,
  type TimestampSchema,
} from "./log/wandb_pb.ts";

/** What a record says; its kind is the name of a field of `Record` in `wandb.proto`. */
export type RecordContent = NonNullable<MessageInitShape<typeof RecordSchema>["recordType"]>;
type Item = MessageInitShape<typeof ItemSchema>;

const MIN_READER = "0.70.0";

/** The record's bytes, before framing. `number` is its place in the file, counted from 1. */
export function encodeRecord(recordType: RecordContent, number: number): Uint8Array {
  return toBinary(RecordSchema, create(RecordSchema, { num: BigInt(number), recordType }));
}

export function headerRecord(producer: string): RecordContent {
  return { case: "header", value: { versionInfo: { producer, minConsumer: MIN_READER } } };
}

/** `isResumed` lets the run continue at sync time, after what the server has of it. */
export function runRecord(
  init: WandbRunInit,
  startedAtMs: number,
  isResumed: boolean,
): RecordContent {
  return {
    case: "run",
    value: {
      runId: init.id,
      entity: init.entity ?? "",
      project: init.project,
      config: { update: topItems(init.config) },
      runGroup: init.group ?? "",
      jobType: init.jobType ?? "",
      displayName: init.displayName ?? "",
      notes: init.notes ?? "",
      tags: [...(init.tags ?? [])],
      startTime: timestamp(startedAtMs),
      telemetry: { platform: init.platform },
      resume: isResumed,
    },
  };
}

export function metricRecord({ name, step, summary, isHidden }: MetricDefinition): RecordContent {
  const kinds = Object.fromEntries((summary ?? []).map((kind) => [kind, true]));
  return {
    case: "metric",
    value: {
      ...(name.endsWith("*") ? { globName: name } : { name }),
      stepMetric: step ?? "",
      options: { stepSync: step !== undefined, hidden: isHidden ?? false, defined: true },
      summary: summary?.length ? kinds : undefined,
    },
  };
}

export function historyRecord(row: ExtendedObject, step: number): RecordContent {
  return { case: "history", value: { item: leafItems(row), step: { num: BigInt(step) } } };
}

export function summaryRecord(update: ExtendedObject): RecordContent {
  return { case: "summary", value: { update: leafItems(update) } };
}

export function configRecord(update: ExtendedObject): RecordContent {
  return { case: "config", value: { update: topItems(update) } };
}

/** A file beside the `.wandb` file, to be uploaded. */
export function fileRecord(path: string, isMedia: boolean): RecordContent {
  const type = isMedia ? FilesItem_FileType.MEDIA : FilesItem_FileType.OTHER;
  return { case: "files", value: { files: [{ path, type }] } };
}

export function outputRecord(stream: ConsoleStream, line: string, timeMs: number): RecordContent {
  const { STDERR, STDOUT } = OutputRawRecord_OutputType;
  const outputType = stream === "stdout" ? STDOUT : STDERR;
  return { case: "outputRaw", value: { outputType, timestamp: timestamp(timeMs), line } };
}

export function exitRecord(exitCode: number, runtimeS: number): RecordContent {
  return { case: "exit", value: { exitCode, runtime: Math.floor(runtimeS) } };
}

function timestamp(timeMs: number): MessageInitShape<typeof TimestampSchema> {
  const nanos = Math.round((timeMs % 1000) * 1e6);
  return { seconds: BigInt(Math.floor(timeMs / 1000)), nanos };
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
  const name = below.length === 0 ? { key } : { nestedKey: [...path] };
  return { ...name, valueJson: writeExtended(value) };
}
