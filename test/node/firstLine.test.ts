import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { firstLine } from "../../src/node/firstLine.ts";

it("is the line, however it arrives, and what follows is let go", async () => {
  const input = new PassThrough();
  const line = firstLine(input);
  for (const piece of [Buffer.from("caf"), Buffer.from([0xc3]), Buffer.from([0xa9]), "\nmore"]) {
    input.write(piece);
  }
  expect(await line).toBe("café");
  input.end("rest");
  await new Promise((resolve) => input.once("close", resolve));
});

it("is what there is when the input ends before", async () => {
  const input = new PassThrough();
  const line = firstLine(input);
  input.end("key");
  expect(await line).toBe("key");
});
