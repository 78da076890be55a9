/** Malicious changes to a stored text, or to a value in it. */

import { isJsonObject } from "../../../src/core/json.ts";
import type { Seeded } from "./seeded.ts";

const NUMBERS: readonly unknown[] = [
  ...[300_000, 1e15, 2 ** 53, 2 ** 53 - 1, 2 ** 32 - 1, 2 ** 31, 1e308, -1, -0, 0.5, 1e-300],
  ...["NaN", "1e999", "0x10"],
];

const OTHER_TYPES: readonly unknown[] = [
  null,
  [],
  {},
  "text",
  "",
  7,
  true,
  [[]],
  [null],
  { a: {} },
];

const KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "length"];

function ids(home: string): readonly string[] {
  return [
    ...[
      "..",
      "../../../..",
      ".",
      "",
      "a/../../b",
      "/dev/zero",
      "/proc/self/environ",
      "C:\\x",
      "\\\\host\\x",
    ],
    ...[`${home}/.bashrc`, `${home}/new-file`, `../../../../../..${home}/new-file`],
    ...["\u001b]8;;https://example.test\u0007link\u001b]8;;\u0007\u001b[2J", "a\nb\r\nc\u0000d"],
    ...["\u202Etxt.exe", "\u2066x\u2069\u200b", "[go](command:workbench.action.quit)", "$(flame)"],
    ...[
      "x".repeat(100_000),
      "😀".repeat(10_000),
      "\ud800",
      "__proto__",
      "%2e%2e%2f",
      "-rf",
      "--x=1",
    ],
  ];
}

/** Replaces one value in `value`, without mutating it. */
export function changeOne(
  value: unknown,
  choose: Seeded,
  change: (before: unknown) => unknown,
): unknown {
  const isLeaf = typeof value !== "object" || value === null;
  const size = isLeaf ? 0 : Object.keys(value).length;
  if (size === 0 || choose.below(6) === 0) return change(value);
  if (Array.isArray(value)) {
    const at = choose.below(size);
    return value.map((item: unknown, index) =>
      index === at ? changeOne(item, choose, change) : item,
    );
  }
  if (!isJsonObject(value)) return value;
  const key = choose.pick(Object.keys(value));
  return { ...value, [key]: changeOne(value[key], choose, change) };
}

export type Replacement = "number" | "id" | "type" | "key";

/** A change for {@link changeOne}. */
export function replacement(
  kind: Replacement,
  choose: Seeded,
  home: string,
): (before: unknown) => unknown {
  switch (kind) {
    case "number":
      return () => choose.pick(NUMBERS);
    case "id":
      return () => choose.pick(ids(home));
    case "type":
      return () => choose.pick(OTHER_TYPES);
    case "key":
      return (before) => {
        const entries = KEYS.map((key) => [key, choose.pick([before, 1, [1], { a: 1 }])] as const);
        // JSON.parse makes such keys own properties; so does fromEntries.
        return Object.fromEntries([...entries, ["step", 1]]);
      };
  }
}

/** JSON text with deeply nested values, or very many parts. */
export function heavyJson(choose: Seeded): string {
  const depth = choose.pick([150, 250, 5_000, 20_000, 200_000]);
  const name = "n".repeat(choose.pick([1, 10, 2_000]));
  const deep = Math.min(depth, Math.floor(4_000_000 / name.length));
  return choose.pick([
    () => "[".repeat(depth) + "]".repeat(depth),
    () => `${`{"${name}":`.repeat(deep)}1${"}".repeat(deep)}`,
    () => `{"step":1,"a":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`,
    () =>
      `{"step":1,${Array.from({ length: choose.pick([90_000, 120_000]) }, (_, i) => `"k${i}":${i}`).join()}}`,
    () => `[${"[],".repeat(1_000_000)}1]`,
    () => `{"step":2,"text":${JSON.stringify('\\"'.repeat(1_000_000))}}`,
    () => `{"step":3,"list":[${"1,".repeat(90_000)}1]}`,
    () => `"${"\\u0000".repeat(300_000)}"`,
  ])();
}

/** Text as bytes in an unexpected encoding. */
export function otherEncoding(text: string, choose: Seeded): Uint8Array {
  const utf8 = Buffer.from(text);
  const at = choose.below(utf8.length + 1);
  const inserted = (bytes: readonly number[]): Uint8Array =>
    Buffer.concat([utf8.subarray(0, at), Buffer.from(bytes), utf8.subarray(at)]);
  return choose.pick([
    () => Buffer.from(`\ufeff${text}`, "utf16le"),
    () => Buffer.from(text, "utf16le").swap16(),
    () => Buffer.from(`\ufeff${text}`),
    () => inserted([0xff, 0xfe, 0xc0, 0x80]),
    () => inserted([0xed, 0xa0, 0x80]),
    () => inserted(Array<number>(1_000).fill(0)),
    () => Buffer.from(text, "latin1"),
    () => Buffer.from(text.replaceAll("\n", "\r")),
    () => inserted([...Buffer.from("\u001b]0;owned\u0007\u001b[2J\u202e")]),
    () => Buffer.from(text.replaceAll('"', "\u201c")),
  ])();
}

/** Truncated, duplicated, removed, shuffled or joined lines. */
export function brokenLines(text: string, choose: Seeded): string {
  const lines = text.split("\n");
  const at = choose.below(lines.length);
  const line = lines[at] ?? "";
  return choose.pick([
    () => text.slice(0, choose.below(text.length + 1)),
    () => lines.toSpliced(at, 0, ...Array<string>(1_000).fill(line)).join("\n"),
    () => lines.toSpliced(at, 1).join("\n"),
    () => lines.toReversed().join("\n"),
    () => lines.join(""),
    () => lines.toSpliced(at, 1, line.slice(0, choose.below(line.length + 1))).join("\n"),
    () => "",
    () => "\n".repeat(100_000),
    () => "1\n".repeat(300_000),
    () => "{}\n".repeat(200_000),
    () => `${text}${text.slice(0, -1)}`,
  ])();
}
