import { describe, expect, it } from "vitest";
import {
  configRecord,
  encodeRecord,
  exitRecord,
  fileRecord,
  headerRecord,
  historyRecord,
  metricRecord,
  outputRecord,
  type RecordContent,
  runRecord,
  summaryRecord,
} from "../../../../../src/core/tracking/wandb/offline/offlineRecords.ts";
import type { WandbRunInit } from "../../../../../src/core/tracking/wandb/run/wandbRun.ts";

const FULL: WandbRunInit = {
  id: "abc12345",
  project: "p",
  entity: "team",
  displayName: "größe \ud800 run",
  isNameGiven: true,
  group: "g",
  jobType: "train",
  notes: "n",
  tags: ["a", "b"],
  program: "x",
  config: { lr: 1e-5, nested: { a: [1, 2], b: {} }, "": "x", nan: NaN, big: 12345678901234567890n },
  platform: "linux-x64",
};
const BARE: WandbRunInit = {
  id: "abc12345",
  project: "",
  entity: null,
  displayName: null,
  isNameGiven: false,
  group: null,
  jobType: null,
  notes: null,
  tags: null,
  config: {},
  program: null,
  platform: "",
};

/** Written by encoders whose files the official reader accepted. */
const VECTORS: readonly (readonly [string, RecordContent, number, string])[] = [
  [
    "a header",
    headerRecord("tinker-rl/0.1"),
    1,
    "0801aa01190a170a0d74696e6b65722d726c2f302e311206302e37302e30",
  ],
  ["a header behind many records", headerRecord(""), 300, "08ac02aa010a0a081206302e37302e30"],
  [
    "a run with everything",
    runRecord(FULL, 1763790000123, true),
    2,
    "08028a01ba010a08616263313233343512047465616d1a017022620a0e0a026c72820107302e30303030310a1d0a066e65737465648201127b2261223a5b312c325d2c2262223a7b7d7d0a068201032278220a0b0a036e616e8201034e614e0a1c0a0362696782011431323334353637383930313233343536373839303201673a05747261696e420f6772c3b6c39f6520efbfbd2072756e4a016e5201615201628a010b08b09985c90610c0a9d33a9a010b6a096c696e75782d783634c00101",
  ],
  [
    "a run with nothing",
    runRecord(BARE, 0, false),
    3,
    "08038a01120a08616263313233343522008a01009a0100",
  ],
  [
    "a record with a number beyond 32 bits",
    runRecord(BARE, 1763790000000, false),
    2 ** 40,
    "088080808080208a01180a08616263313233343522008a010608b09985c9069a0100",
  ],
  ["a metric", metricRecord("a"), 4, "0804620f0a0161220473746570320408011801"],
  ["the metric of the axis", metricRecord("step"), 4, "0804620a0a047374657032021801"],
  ["an empty row", historyRecord({}, 0), 6, "080612021200"],
  [
    "a nested row",
    historyRecord({ a: 1, b: { c: { d: "ü" }, e: [], f: {} }, "": 1 }, 70_000),
    7,
    "080712410a070a0161820101310a1012016212016312016482010422c3bc220a0b1201621201658201025b5d0a0b1201621201668201027b7d0a0482010131120408f0a204",
  ],
  [
    "a summary",
    summaryRecord({ a: { b: 1 }, c: null, d: Infinity }),
    8,
    "08081a280a0a120161120162820101310a0a0a01638201046e756c6c0a0e0a0164820108496e66696e697479",
  ],
  [
    "a configuration",
    configRecord({ a: { b: 1 }, c: null }),
    9,
    "08092a1b0a0d0a01618201077b2262223a317d0a0a0a01638201046e756c6c",
  ],
  ["a file", fileRecord("a/b.txt", false), 10, "080a320b0a090a07612f622e747874"],
  ["a table", fileRecord("media/t.json", true), 11, "080b32120a100a0c6d656469612f742e6a736f6e1802"],
  [
    "a line",
    outputRecord("stdout", "line\n", 1763790000999),
    12,
    "080c6a170801120c08b09985c90610c08faedc031a056c696e650a",
  ],
  ["an empty line", outputRecord("stderr", "", 0), 13, "080d6a021200"],
  ["an end", exitRecord(0, 0.5), 14, "080e920100"],
  ["an end by a signal", exitRecord(-1, 1), 15, "080f92010d08ffffffffffffffffff011001"],
];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("the records of a .wandb file", () => {
  it.each(VECTORS)("encode %s byte for byte as before", (_name, record, number, expected) => {
    expect(hex(encodeRecord(record, number))).toBe(expected);
  });

  it("keep an empty name in a path, so that the value stays in place", () => {
    const record = encodeRecord(historyRecord({ g: { "": 2 } }, 0), 1);
    // Field 2 of an item (nested_key) twice: "g", then "".
    expect(hex(record)).toContain("120167120082010132");
  });
});

it("the name of a resumed run is omitted unless it was given, since its page may have another", () => {
  const written = (init: WandbRunInit, isResumed: boolean) =>
    encodeRecord(runRecord(init, 0, isResumed), 1);
  const own = { ...FULL, isNameGiven: false };
  expect(written(own, true)).toEqual(written({ ...own, displayName: null }, true));
  expect(written(own, false)).toEqual(written(FULL, false));
});
