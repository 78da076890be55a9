import { expect, it } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { ServerOutput } from "../../../src/trainer/services/serverOutput.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/one";

function setUp() {
  const files = createMemoryFileSystem();
  const redactor = new Redactor();
  redactor.learn("hunter2hunter2");
  const read = (name: string): string =>
    new TextDecoder().decode(files.files.get(`${FOLDER}/servers/${name}`));
  return { files, read, output: new ServerOutput(redactor) };
}

it("output from before the run has a folder is stored, in one file per server", async () => {
  const { files, read, output } = setUp();
  output.write("maze", "one\n");
  output.write("Owner/Depot", "two\n");
  output.attach(files, FOLDER);
  output.write("maze", "three\n");
  await output.close();
  expect([read("maze.log"), read("Owner-Depot.log")]).toEqual(["one\nthree\n", "two\n"]);
});

it("names the file of a server only where a run has it", () => {
  const { files, output } = setUp();
  output.attach(files, null);
  expect(output.logOf("maze")).toBeNull();
  output.attach(files, FOLDER);
  expect(output.logOf("maze")).toBe("servers/maze.log");
});

it("output without a file is returned once, in whole lines", () => {
  const { output } = setUp();
  expect(output.take("maze")).toBe("");
  output.write("maze", "one\ntw");
  expect(output.take("maze")).toBe("one\ntw");
  output.write("maze", "o\n");
  expect(output.take("maze")).toBe("two\n");
  expect(output.take("maze")).toBe("");
});

it("a secret that arrives in two pieces is removed", async () => {
  const { files, read, output } = setUp();
  output.attach(files, FOLDER);
  output.write("maze", "key: hunter2");
  output.write("maze", "hunter2\n");
  await output.close();
  expect(read("maze.log")).not.toContain("hunter2");
});

it("a name cannot lead to another folder", async () => {
  const { files, output } = setUp();
  output.attach(files, FOLDER);
  output.write("../../x", "text\n");
  await output.close();
  expect([...files.files.keys()]).toEqual([`${FOLDER}/servers/-..-x.log`]);
});

it("of too much output before the run has a folder the last whole lines are kept, without partial secrets", async () => {
  const { files, read, output } = setUp();
  const line = `hunter2hunter2 ${"x".repeat(48)}\n`;
  output.write("maze", "y");
  output.write("maze", line.repeat(5_000));
  output.attach(files, FOLDER);
  await output.close();
  const text = read("maze.log");
  expect(text.length).toBeGreaterThan(200_000);
  expect(text).not.toContain("hunter2");
  expect(text).not.toMatch(/unter2|nter2/);
});

it("an error is kept among any number of success lines", () => {
  const { output } = setUp();
  output.write("maze", "RuntimeError: boom\n");
  for (let i = 0; i < 5_000; i += 1)
    output.write("maze", `INFO:  127.0.0.1 - "POST /x/call" 200 OK ${"-".repeat(60)}\n`);
  expect(output.take("maze")).toContain("RuntimeError: boom\n");
});
