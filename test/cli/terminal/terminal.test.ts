import { expect, test } from "vitest";
import { styled } from "../../../src/cli/terminal/line.ts";
import { createTerminal, printAll } from "../../../src/cli/terminal/terminal.ts";

function aStream(isTTY: boolean) {
  const written: string[] = [];
  let fail: (error: Error) => void = () => undefined;
  return {
    isTTY,
    columns: 20,
    written,
    write: (text: string, done?: () => void) => {
      written.push(text);
      done?.();
      return true;
    },
    on: (_event: "error", listener: (error: Error) => void) => {
      fail = listener;
    },
    break: (code: string) => fail(Object.assign(new Error(`write ${code}`), { code })),
  };
}

test("the live line is erased before permanent lines and redrawn below them", () => {
  const stream = aStream(true);
  const terminal = createTerminal(stream, { NO_COLOR: "1" });
  terminal.showLive(["working"]);
  terminal.print([["done"]]);
  terminal.showLive(null);
  expect(stream.written).toEqual(["working", "\r\u001b[2Kdone\nworking", "\r\u001b[2K"]);
});

test("the live line leaves the last column free, and is not redrawn if unchanged", () => {
  const stream = aStream(true);
  const terminal = createTerminal(stream, { NO_COLOR: "1" });
  terminal.showLive(["x".repeat(40)]);
  terminal.showLive(["x".repeat(40)]);
  expect(stream.written).toEqual([`${"x".repeat(18)}…`]);
});

test("color is on in terminals, unless NO_COLOR is set", () => {
  const texts = [
    [true, {}],
    [true, { NO_COLOR: "1" }],
    [true, { TERM: "dumb" }],
    [false, {}],
  ] as const;
  const written = texts.map(([isTTY, env]) => {
    const stream = aStream(isTTY);
    createTerminal(stream, env).print([[styled("bad", "no")]]);
    return stream.written.join("");
  });
  expect(written).toEqual(["\u001b[31mno\u001b[0m\n", "no\n", "no\n", "no\n"]);
});

test("a pipe gets no live line, and lines of any width", () => {
  const stream = aStream(false);
  const terminal = createTerminal(stream, {});
  terminal.showLive(["working"]);
  expect(stream.written).toEqual([]);
  expect(terminal.columns).toBe(Number.POSITIVE_INFINITY);
  expect(createTerminal(aStream(true), {}).columns).toBe(20);
});

test("after the reader is gone nothing is written, and a long output ends early", async () => {
  const stream = aStream(false);
  const terminal = createTerminal(stream, {});
  let made = 0;
  async function* endless() {
    for (;;) {
      made += 1;
      if (made === 500) stream.break("EPIPE");
      yield [String(made)];
    }
  }
  await printAll(terminal, endless());
  expect(made).toBe(500);
  expect(terminal.isClosed).toBe(true);
});

test.each(["EPIPE", "EOF", "EIO"])("a closed reader (%s) is not an error", (code) => {
  const stream = aStream(false);
  const terminal = createTerminal(stream, {});
  stream.break(code);
  expect(terminal.fault).toBeNull();
});

test("output that cannot be written is an error, and the first one gives the reason", () => {
  const stream = aStream(false);
  const terminal = createTerminal(stream, {});
  stream.break("ENOSPC");
  stream.break("EPIPE");
  expect(terminal.fault?.message).toBe("write ENOSPC");
});
