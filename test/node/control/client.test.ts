import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ControlClient } from "../../../src/node/control/client.ts";
import { onLines, sendLine } from "../../../src/node/control/lineSocket.ts";
import type { RunStatus } from "../../../src/shared/control.ts";
import type { ControlAddress } from "../../../src/shared/runFile.ts";
import { INITIAL_STATUS } from "../../../src/trainer/control/runStatus.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { PlantedHome } from "../../fakes/plantedHome.ts";

const TOKEN = "t".repeat(43);

let folder: string;
let target: ControlAddress;
let server: Server;
let asked: unknown[];
let connections: Socket[];
/** The trainer's reaction to a line. */
let answer: (socket: Socket, id: number) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tinker-rl-run-"));
  target = { address: join(folder, "control.sock"), tokenPath: join(folder, "token") };
  await writeFile(target.tokenPath, TOKEN);
  asked = [];
  connections = [];
  server = createServer((socket) => {
    connections.push(socket);
    onLines(socket, (line) => {
      const request: { readonly id: number } = JSON.parse(line);
      asked.push(request);
      answer(socket, request.id);
    });
  });
  await new Promise<void>((resolve) => server.listen(target.address, resolve));
});

afterEach(async () => {
  for (const socket of connections) socket.destroy();
  server.close();
  await rm(folder, { recursive: true });
});

const status: RunStatus = { ...INITIAL_STATUS, step: 3 };

describe("a connection to a trainer", () => {
  it("sends the token with each command and matches answers by number", async () => {
    const client = await ControlClient.open(target);
    const ids: number[] = [];
    answer = (socket, id) => {
      ids.push(id);
      if (ids.length < 2) return;
      for (const each of ids.toReversed()) {
        sendLine(socket, { id: each, ok: true, message: `for ${each}`, status });
      }
    };
    const [first, second] = await Promise.all([
      client.send({ action: "pause" }),
      client.send({ action: "change-settings", settings: ["seed=1"] }),
    ]);
    expect([first.message, second.message]).toEqual(["for 1", "for 2"]);
    expect(first.status).toEqual(status);
    expect(asked).toEqual([
      { version: 1, id: 1, token: TOKEN, action: "pause" },
      { version: 1, id: 2, token: TOKEN, action: "change-settings", settings: ["seed=1"] },
    ]);
    client.close();
  });

  it("throws a refusal with the trainer's error code", async () => {
    const client = await ControlClient.open(target);
    answer = (socket, id) =>
      sendLine(socket, { id, ok: false, code: "run-ended", message: "Over." });
    await expect(client.send({ action: "save" })).rejects.toMatchObject({
      code: "run-ended",
      message: "Over.",
    });
    client.close();
  });

  it("forwards notifications, and ignores everything else", async () => {
    const seen: RunStatus[] = [];
    const client = await ControlClient.open(target, { onStatus: (each) => seen.push(each) });
    answer = (socket, id) => {
      socket.write("no JSON\n[]\n");
      sendLine(socket, { notice: "status", status: { step: "many" } });
      sendLine(socket, { notice: "status", status });
      sendLine(socket, { id: 99, ok: true, message: "for nobody", status });
      sendLine(socket, { id, ok: true, message: "", status });
    };
    await client.send({ action: "attach" });
    expect(seen).toEqual([status]);
    client.close();
  });

  it("ends when a suspended trainer gives no answer", async () => {
    const clock = new FakeClock();
    answer = () => undefined;
    for (const action of ["status", "save"] as const) {
      const client = await ControlClient.open(target, { clock });
      const refused = expect(client.send({ action })).rejects.toThrow(/is suspended/);
      await clock.advance(10_000);
      await refused;
    }
    expect(clock.sleeping).toBe(0);
  });

  it("waits for a save as long as the service takes", async () => {
    const clock = new FakeClock();
    const client = await ControlClient.open(target, { clock });
    answer = (socket, id) => {
      if (id === 1) sendLine(socket, { id, ok: true, message: "", status });
    };
    const saved = client.send({ action: "save" });
    await vi.waitFor(() => expect(asked).toMatchObject([{ action: "status" }, { action: "save" }]));
    await clock.advance(600_000);
    for (const socket of connections)
      sendLine(socket, { id: 2, ok: true, message: "Saved.", status });
    expect(await saved).toMatchObject({ message: "Saved." });
    client.close();
  });

  it("rejects all pending commands when it ends, and reports the end once", async () => {
    let ends = 0;
    const client = await ControlClient.open(target, { onClose: () => ends++ });
    answer = (socket) => socket.destroy();
    const gone = { code: "run-not-reachable" };
    await expect(client.send({ action: "save" })).rejects.toMatchObject(gone);
    await expect(client.send({ action: "save" })).rejects.toMatchObject(gone);
    expect(ends).toBe(1);
  });
});

describe("no connection is made", () => {
  const refused = { code: "run-not-reachable" };

  it("if nothing is listening any more", async () => {
    server.close();
    await expect(ControlClient.open(target)).rejects.toMatchObject(refused);
  });

  it("if there is no token", async () => {
    await rm(target.tokenPath);
    await expect(ControlClient.open(target)).rejects.toMatchObject(refused);
  });

  // Root can read every file, and Windows has no such permissions.
  const readsAll = process.platform === "win32" || process.getuid?.() === 0;
  it.skipIf(readsAll)("with a trainer of another user, who is given as the reason", async () => {
    await chmod(target.tokenPath, 0o000);
    await expect(ControlClient.open(target)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/^The run belongs to another user/),
    });
  });

  it("with the content of a file that is not a token", async () => {
    await writeFile(target.tokenPath, "-----BEGIN PRIVATE KEY-----\n");
    await expect(ControlClient.open(target)).rejects.toMatchObject(refused);
    expect(connections).toEqual([]);
  });

  it.each<[string, (own: ControlAddress) => ControlAddress]>([
    ["a port", (own) => ({ ...own, address: "8080" })],
    ["a pipe on another machine", (own) => ({ ...own, address: "\\\\stranger\\pipe\\x" })],
    ["a socket elsewhere", (own) => ({ ...own, address: "/tmp/control.sock" })],
    ["a token elsewhere", (own) => ({ ...own, tokenPath: "/etc/hostname" })],
  ])("with %s, which an untrusted run.json may name", async (_, change) => {
    await expect(ControlClient.open(change(target))).rejects.toMatchObject(refused);
    expect(connections).toEqual([]);
  });

  it("in a folder that is not a trainer's", async () => {
    const other = join(folder, "other");
    await mkdir(other);
    const tokenPath = join(other, "token");
    await writeFile(tokenPath, TOKEN);
    const strange = { address: join(other, "control.sock"), tokenPath };
    await expect(ControlClient.open(strange)).rejects.toMatchObject(refused);
  });
});

describe("a socket in a forged folder", () => {
  let planted: PlantedHome;
  beforeEach(async () => {
    planted = await PlantedHome.make();
  });
  afterEach(async () => {
    expect(await planted.isUntouched()).toBe(true);
    await planted.remove();
  });

  it.skipIf(process.platform === "win32")(
    "a forged run.json has no linked token read and sent",
    async () => {
      const folder = join(planted.root, "tinker-rl-run-forged");
      await mkdir(folder);
      const tokenLike = join(planted.root, "tokenLike");
      await writeFile(tokenLike, "k".repeat(43));
      await symlink(tokenLike, join(folder, "token"));
      const address = join(folder, "control.sock");
      const heard: string[] = [];
      const server = createServer((socket) => {
        socket.on("data", (bytes) => heard.push(String(bytes)));
        socket.on("error", () => undefined);
      });
      server.listen(address);
      await once(server, "listening");
      expect(existsSync(address)).toBe(true);
      const place = { address, tokenPath: join(folder, "token") };
      const asking = async (): Promise<void> => {
        const client = await ControlClient.open(place);
        client.send({ action: "status" }).catch(() => undefined);
        await vi.waitFor(() => expect(heard).not.toEqual([]));
        client.close();
      };
      await expect(asking()).rejects.toMatchObject({ code: "run-not-reachable" });
      expect(heard).toEqual([]);
      server.close();
    },
  );
});
