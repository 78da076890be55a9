import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { readExampleFile } from "../../../src/trainer/examples/readExampleFile.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const folder = folderOfAllTests();
const file = join(folder, "demos.jsonl");

async function read(content: string | Uint8Array) {
  await writeFile(file, content);
  return await readExampleFile(file);
}

const user = { role: "user", content: "2*3?" };
const answer = { role: "assistant", content: "6" };
const GOOD = JSON.stringify({ messages: [user, answer] });

/** A file with a valid line and this one. */
function second(line: Json | string): string {
  return `${GOOD}\n${typeof line === "string" ? line : JSON.stringify(line)}\n`;
}

/** What the file has, its content, and the reported place, key and reason. */
const MALFORMED: readonly (readonly [what: string, content: string | Uint8Array, said: string])[] =
  [
    ["a line that was cut off", second(GOOD.slice(0, 40)), "2:41: error: this is not JSON: Unterm"],
    ["a comma behind a line", `${GOOD},\n${GOOD}`, "1:83: error: this is not JSON: Unexpected non"],
    ["two conversations on a line", second(GOOD + GOOD), "2:83: error: this is not JSON: Unexp"],
    ["Python in place of JSON", second("{'messages': []}"), "2:2: error: this is not JSON: Exp"],
    ["a number that JSON has not", second('{"messages": [NaN]}'), "2:1: error: this is not JSON:"],
    ["a zero byte", second(`${GOOD.slice(0, 30)}\0`), "2:31: error: this is not JSON:"],
    ["a list of conversations", `[${GOOD}]`, "1:1: error: expected an object with messages, got ["],
    ["JSON over several lines", JSON.stringify({ messages: [] }, null, 1), "1:2: error: this is n"],
    ["a table of commas", "prompt,answer\n2*3?,6\n", "1:1: error: this is not JSON:"],
    [
      "Latin-1",
      Buffer.from(GOOD.replace("6", "\xe9"), "latin1"),
      "1:1: error: the text is not UTF",
    ],
    [
      "UTF-16",
      Buffer.from(`\uFEFF${GOOD}\n`, "utf16le"),
      "1:1: error: the text is not UTF-8; save",
    ],
    ["Parquet", Buffer.of(0x50, 0x41, 0x52, 0x31, 0x15, 0xff), "1:1: error: the text is not UTF-8"],
    [
      "lists a thousand deep",
      second("[".repeat(1e3) + "]".repeat(1e3)),
      "2:1: error: the JSON is n",
    ],
    ["a line of 17 MB", second(`"${"x".repeat(17 << 20)}"`), "2:1: error: the line is longer than"],
    [
      "prompts and answers",
      second({ prompt: "2*3?", completion: "6" }),
      '2:1: error: messages: expected a list of messages, got nothing, in a line with "prompt", "completion"',
    ],
    [
      "two answers in a row",
      second({ messages: [user, answer, answer] }),
      "2:1: error: messages[2].role: the assistant speaks twice in a row; make one message of both",
    ],
  ];

describe("a malformed data file", () => {
  it.each(MALFORMED)("is reported with row, column and reason: %s", async (_, content, said) => {
    await expect(read(content)).rejects.toMatchObject({
      code: "examples-invalid",
      message: expect.stringContaining(`${file}:${said}`),
    });
  });

  it("is rejected with all its errors, and the number of valid lines", async () => {
    const refused = read(`${GOOD}\n{\n${GOOD}\n[]\n`);
    await expect(refused).rejects.toThrow(/:2:2: error.*\n.*:4:1: error.*\n2 lines of 4 cannot/);
    const whole = read("a\n".repeat(30));
    await expect(whole).rejects.toThrow(/: and 10 more\nNo line of the file.*\{"messages": /);
  });
});

describe("a data file", () => {
  it("cannot be Parquet, which is reported once", async () => {
    const path = join(folder, "train.parquet");
    await writeFile(path, "PAR1\n\xff\n");
    await expect(readExampleFile(path)).rejects.toThrow(
      /train\.parquet is Parquet\. A data file is JSONL: .* with --format messages\.$/,
    );
  });

  it("may have a byte order mark, empty lines, CRLF and no final newline", async () => {
    const lines = await read(`\uFEFF${GOOD}\r\n\r\n  \n${GOOD}`);
    expect(lines.map(({ line }) => line)).toEqual([1, 4]);
  });

  it("may have null for missing tools and a missing split", async () => {
    const row = { messages: [user, answer], tools: null, split: null };
    expect(await read(JSON.stringify(row))).toMatchObject([{ tools: [], split: "train" }]);
  });

  it("keeps line separators that are valid in JSON strings", async () => {
    const said = "one\u2028two\u2029three";
    const [only, ...others] = await read(
      JSON.stringify({ messages: [user, { role: "assistant", content: said }] }),
    );
    expect(only?.messages.at(-1)?.content).toBe(said);
    expect(others).toEqual([]);
  });
});
