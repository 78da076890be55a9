import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { firstLine } from "../../src/node/firstLine.ts";

it("is the line, however it arrives, and later input is released", async () => {
  const input = new PassThrough();
  const line = firstLine(input);
  for (const piece of [Buffer.from("caf"), Buffer.from([0xc3]), Buffer.from([0xa9]), "\nmore"]) {
    input.write(piece);
  }
  expect(await line).toBe("café");
  input.end("rest");
  await new Promise((resolve) => input.once("close", resolve));
});

it("is the whole input if it ends before a line break", async () => {
  const input = new PassThrough();
  const line = firstLine(input);
  input.end("key");
  expect(await line).toBe("key");
});
