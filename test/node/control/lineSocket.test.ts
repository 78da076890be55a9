import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onLines, sendLine } from "../../../src/node/control/lineSocket.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();
let server: Server;
let here: Socket;
let there: Socket;
let lines: string[];

beforeEach(async () => {
  server = createServer();
  const path = join(folder, "socket");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = once(server, "connection");
  here = connect(path);
  [there] = await accepted;
  lines = [];
  for (const socket of [here, there]) socket.on("error", () => undefined);
});

afterEach(() => {
  here.destroy();
  there.destroy();
  server.close();
});

/** Waits for `count` lines. */
function received(count: number): Promise<readonly string[]> {
  return new Promise((resolve) => {
    onLines(there, (line) => {
      lines.push(line);
      if (lines.length === count) resolve(lines);
    });
  });
}

describe("lines over a socket", () => {
  it("arrive complete, however they were split", async () => {
    const all = received(4);
    const bytes = Buffer.from('{"a":1}\n\nzwölf\nlast\nnot yet');
    for (const byte of bytes) {
      here.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await all).toEqual(['{"a":1}', "", "zwölf", "last"]);
  });

  it("arrive one by one when they were sent at once", async () => {
    const all = received(2);
    sendLine(here, { a: "1\n2" });
    sendLine(here, { b: 2 });
    expect(await all).toEqual(['{"a":"1\\n2"}', '{"b":2}']);
  });

  it("are not read further once the connection was closed", async () => {
    onLines(there, (line) => {
      lines.push(line);
      there.destroy();
    });
    here.write("one\ntwo\nthree\n");
    await once(there, "close");
    expect(lines).toEqual(["one"]);
  });
});

describe("a peer that exceeds a limit", () => {
  it("is disconnected when its line does not end", async () => {
    onLines(there, (line) => lines.push(line));
    const closed = once(there, "close");
    const piece = Buffer.alloc(64 * 1024, "x");
    while (!there.destroyed && here.writable) {
      if (!here.write(piece)) await Promise.race([once(here, "drain"), closed]);
    }
    await closed;
    expect(lines).toEqual([]);
  });

  it("is disconnected if it never reads", async () => {
    here.pause();
    const closed = once(there, "close");
    const value = { text: "x".repeat(64 * 1024) };
    for (let sent = 0; sent < 100 && !there.destroyed; sent++) sendLine(there, value);
    await closed;
    expect(there.destroyed).toBe(true);
    expect(() => sendLine(there, value)).not.toThrow();
  });
});
