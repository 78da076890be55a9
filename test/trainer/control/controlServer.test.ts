import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { ControlClient } from "../../../src/node/control/client.ts";
import type { ControlCommand, RunStatus } from "../../../src/shared/control.ts";
import { ControlServer } from "../../../src/trainer/control/controlServer.ts";
import { INITIAL_STATUS } from "../../../src/trainer/control/runStatus.ts";
import { FakeClock, until } from "../../fakes/fakeClock.ts";

let clock: FakeClock;
let server: ControlServer;
let status: RunStatus;
let commands: ControlCommand[];
let counts: number[];
let execute: (command: ControlCommand) => Promise<string>;
let sockets: Socket[];

beforeEach(async () => {
  clock = new FakeClock();
  status = INITIAL_STATUS;
  commands = [];
  counts = [];
  sockets = [];
  execute = async ({ action }) => `will ${action}`;
  server = await ControlServer.start({
    clock,
    status: () => status,
    execute: (command) => {
      commands.push(command);
      return execute(command);
    },
    onAttached: (count) => counts.push(count),
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

/** A raw connection without lines or tokens. */
async function stranger(): Promise<Socket> {
  const socket = connect(server.address.address);
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** All output of the trainer until it closes the connection. */
function said(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}

async function request(token?: string): Promise<string> {
  const own = token ?? (await readFile(server.address.tokenPath, "utf8"));
  return `${JSON.stringify({ version: 1, id: 1, token: own, action: "stop" })}\n`;
}

describe("a control socket", () => {
  it("is in a private folder, with its token", async () => {
    if (process.platform === "win32") return;
    const { tokenPath } = server.address;
    expect((await stat(tokenPath)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(tokenPath))).mode & 0o777).toBe(0o700);
  });

  it("executes commands, and returns refusals with their codes", async () => {
    const client = await ControlClient.open(server.address);
    status = { ...status, step: 4 };
    expect(await client.send({ action: "pause" })).toMatchObject({
      message: "will pause",
      status: { step: 4 },
    });
    execute = () => Promise.reject(new AppError("run-ended", "Too late."));
    await expect(client.send({ action: "save" })).rejects.toMatchObject({
      code: "run-ended",
      message: "Too late.",
    });
    execute = () => Promise.reject(new TypeError("x is not a function"));
    await expect(client.send({ action: "save" })).rejects.toMatchObject({ code: "bug" });
    client.close();
  });

  it("answers others while one command is slow", async () => {
    const client = await ControlClient.open(server.address);
    let finish: (message: string) => void = () => undefined;
    const slow = new Promise<string>((resolve) => {
      finish = resolve;
    });
    execute = ({ action }) => (action === "save" ? slow : Promise.resolve("soon"));
    const saving = client.send({ action: "save" });
    expect((await client.send({ action: "status" })).message).toBe("soon");
    finish("saved");
    expect((await saving).message).toBe("saved");
    client.close();
  });

  it("notifies attached clients of changes, in batches", async () => {
    const seen: RunStatus[] = [];
    const watching = await ControlClient.open(server.address, { onStatus: (s) => seen.push(s) });
    const other: RunStatus[] = [];
    const asking = await ControlClient.open(server.address, { onStatus: (s) => other.push(s) });
    await watching.send({ action: "attach" });
    await asking.send({ action: "status" });
    for (const step of [1, 2, 3]) {
      status = { ...status, step };
      server.changed();
    }
    await clock.advance(250);
    await until(() => seen.length > 0);
    expect(seen.map(({ step }) => step)).toEqual([3]);
    expect(other).toEqual([]);
    watching.close();
    asking.close();
  });

  it("counts editors by their connections", async () => {
    const one = await ControlClient.open(server.address);
    const two = await ControlClient.open(server.address);
    await one.send({ action: "attach" });
    await one.send({ action: "attach" });
    await two.send({ action: "attach" });
    one.close();
    await until(() => counts.length === 4);
    expect(counts).toEqual([1, 1, 2, 1]);
    two.close();
  });

  it("reports how the run ended, and leaves no files", async () => {
    const seen: RunStatus[] = [];
    let isClosed = false;
    const client = await ControlClient.open(server.address, {
      onStatus: (each) => seen.push(each),
      onClose: () => {
        isClosed = true;
      },
    });
    await client.send({ action: "attach" });
    status = { ...status, phase: "done" };
    await server.close();
    await until(() => isClosed);
    expect(seen.at(-1)?.phase).toBe("done");
    await expect(stat(dirname(server.address.tokenPath))).rejects.toThrow(/ENOENT/);
  });
});

describe("an unauthorized client of the control socket", () => {
  it.each<[string, () => Promise<string | Buffer>]>([
    ["a wrong token", () => request("x".repeat(43))],
    ["a token of another length", () => request("x")],
    ["a token that is longer in bytes", () => request("é".repeat(43))],
    ["an empty line", async () => "\n"],
    ["words", async () => "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["bytes", async () => Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
    ["deep JSON", async () => `${"[".repeat(100_000)}\n`],
    ["JSON of another shape", async () => '{"__proto__":{"token":"x"},"action":"stop"}\n'],
    ["a line without end", async () => Buffer.alloc(2 * 1024 * 1024, "x")],
  ])("with %s gets no answer and has no effect", async (_, line) => {
    const socket = await stranger();
    const all = said(socket);
    socket.write(await line());
    expect(await all).toBe("");
    expect(commands).toEqual([]);
  });

  it("cannot retry on the same connection after a wrong token", async () => {
    const socket = await stranger();
    const all = said(socket);
    socket.write((await request("x".repeat(43))) + (await request()));
    expect(await all).toBe("");
    expect(commands).toEqual([]);
  });

  it("is disconnected if it sends nothing, unlike an authorized one", async () => {
    const client = await ControlClient.open(server.address);
    await client.send({ action: "status" });
    const all = said(await stranger());
    await until(() => clock.sleeping > 0);
    await clock.advance(5_000);
    expect(await all).toBe("");
    expect(await client.send({ action: "status" })).toHaveProperty("message");
    client.close();
  });

  it("can occupy a bounded number of connections, which are freed again", async () => {
    const opened = await Promise.all(Array.from({ length: 64 }, stranger));
    for (const socket of opened) socket.resume();
    await until(() => opened.filter((socket) => socket.closed).length === 32);
    expect(clock.sleeping).toBe(32);
    await clock.advance(5_000);
    await until(() => opened.every((socket) => socket.closed));
    const client = await ControlClient.open(server.address);
    expect(await client.send({ action: "stop" })).toMatchObject({ message: "will stop" });
    client.close();
  });
});
