import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { csvTable } from "../../../../src/local/environment/dataset/csvTable.ts";
import { jsonLinesTable } from "../../../../src/local/environment/dataset/jsonLinesTable.ts";
import { parquetTable } from "../../../../src/local/environment/dataset/parquetTable.ts";
import { bytesOf, PARQUET } from "./parquetFiles.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("JSON lines", () => {
  it("may have a byte order mark, CRLF, empty lines and no final newline", () => {
    const { rows, faults, columns } = jsonLinesTable(encode('\ufeff{"a":1}\r\n\r\n{"b":"x"}'));
    expect(faults).toEqual([]);
    expect(rows).toEqual([
      { line: 1, values: { a: 1 } },
      { line: 3, values: { b: "x" } },
    ]);
    expect([...columns]).toEqual(["a", "b"]);
  });

  it("reports each line that is not an object", () => {
    const { rows, faults } = jsonLinesTable(encode('{"a":1}\n{"a":\n[1]\n7\nnull\n'));
    expect(rows).toHaveLength(1);
    expect(faults.map(({ line, message }) => `${line} ${message.slice(0, 9)}`)).toEqual([
      "2 is not va",
      "3 is a list",
      "4 is a sing",
      "5 is a sing",
    ]);
  });

  it("reports each line that is not UTF-8", () => {
    const bytes = new Uint8Array([...encode('{"a":1}\n{"a":"'), 0xff, ...encode('"}\n{"a":2}\n')]);
    const { rows, faults } = jsonLinesTable(bytes);
    expect(rows).toHaveLength(2);
    expect(faults).toMatchObject([{ line: 2, message: expect.stringContaining("UTF-8") }]);
  });

  it("reads 100,000 lines in less than 5 seconds", () => {
    const line = `${JSON.stringify({ question: "q".repeat(300), answer: "a" })}\n`;
    const bytes = encode(line.repeat(100_000));
    const begin = performance.now();
    expect(jsonLinesTable(bytes).rows).toHaveLength(100_000);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});

describe("CSV", () => {
  it("may have a byte order mark, CRLF, quotes and quoted line breaks", () => {
    const text = '\ufeffquestion,answer\r\n"a, b",1\r\n\r\n"two\r\nlines ""q""",2\r\nx,3\r\n';
    const { rows, faults } = csvTable(encode(text));
    expect(faults).toEqual([]);
    expect(rows).toEqual([
      { line: 2, values: { question: "a, b", answer: "1" } },
      { line: 4, values: { question: 'two\nlines "q"', answer: "2" } },
      { line: 6, values: { question: "x", answer: "3" } },
    ]);
  });

  it.each([
    ["", null, "is empty"],
    ["question,answer\na,b\nc\n", 3, "has 1 values, but the header has 2 columns"],
    ["question,answer\na,b,c\n", 2, "has 3 values, but the header has 2 columns"],
    ['question,answer\na,b\n"c,d\ne,f\n', 3, "opens a quote that is never closed"],
    ['question,answer\na,b "c"\n', 2, "is not valid CSV"],
    ["a,b,a\n1,2,3\n", 1, 'the name "a" occurs twice in the header'],
    ["a,,b\n1,2,3\n", 1, "column 2 has no name"],
  ])("%j has an error in row %s: %s", (text, line, message) => {
    const { faults } = csvTable(encode(text));
    expect(faults).toMatchObject([{ line, message: expect.stringContaining(message) }]);
  });

  it("reports the first line that is not UTF-8", () => {
    const bytes = new Uint8Array([...encode("a,b\nx,y\n"), 0xe9, ...encode(",z\n")]);
    expect(csvTable(bytes).faults).toMatchObject([{ line: 3 }]);
  });
});

describe("Parquet", () => {
  it.each(["snappy", "gzip"] as const)("reads the requested columns, with %s", async (codec) => {
    const names = ["question", "answer", "choices", "system"];
    const { rows, columns, faults } = await parquetTable(bytesOf(PARQUET[codec]), names);
    expect(faults).toEqual([]);
    expect([...columns]).toEqual(["question", "answer", "choices", "extra"]);
    expect(rows).toEqual([
      { line: 1, values: { question: "What is 1+1?", answer: 2, choices: ["1", "2", "3"] } },
      { line: 2, values: { question: "Which is hot?", answer: 1, choices: ["ice", "fire"] } },
    ]);
  });

  it("reads integers within structs as numbers, or as texts if they are too large", async () => {
    const file = parquetWriteBuffer({
      schema: [
        { name: "root", num_children: 1 },
        { name: "answer", num_children: 2, repetition_type: "OPTIONAL" },
        { name: "count", type: "INT64", repetition_type: "OPTIONAL" },
        { name: "id", type: "INT64", repetition_type: "OPTIONAL" },
      ],
      columnData: [{ name: "answer", data: [{ count: 2n, id: 2n ** 60n }] }],
    });
    const { rows, faults } = await parquetTable(new Uint8Array(file), ["answer"]);
    expect(faults).toEqual([]);
    expect(rows).toEqual([
      { line: 1, values: { answer: { count: 2, id: "1152921504606846976" } } },
    ]);
  });

  it("says how to write a file whose compression is not supported", async () => {
    const file = parquetWriteBuffer({
      columnData: [{ name: "question", data: ["What is 1+1?"] }],
      codec: "LZ4_RAW",
      compressors: { LZ4_RAW: (bytes) => bytes },
    });
    const { faults } = await parquetTable(new Uint8Array(file), ["question"]);
    const message =
      "cannot be read as Parquet: parquet unsupported compression codec: LZ4_RAW; write it with the compression snappy";
    expect(faults).toMatchObject([{ message }]);
  });

  it("reads a file within a larger buffer", async () => {
    const bytes = bytesOf(PARQUET.snappy);
    const within = Buffer.concat([Buffer.from("before"), bytes]).subarray("before".length);
    expect((await parquetTable(within, ["question"])).rows).toHaveLength(2);
  });

  it.each([0, 10, 300, 700])("a file truncated after %i bytes is an error", async (length) => {
    const { faults } = await parquetTable(bytesOf(PARQUET.snappy).slice(0, length), ["question"]);
    expect(faults).toMatchObject([{ line: null, message: expect.stringContaining("Parquet") }]);
  });
});
