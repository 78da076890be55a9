import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../../src/node/clock.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { type ServedView, serveView } from "../../../src/server/view/viewServer.ts";
import { writeComparedRuns } from "../../fakes/comparedRuns.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { startedRun } from "../../fakes/startedRun.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

describe("the server for pages in a browser", () => {
  const fileSystem = filesOnDisk();
  const folder = folderOfEachTest();
  let view: ServedView | null = null;
  let address = new URL("http://127.0.0.1");

  beforeEach(async () => {
    mkdirSync(join(folder, "webview"));
    writeFileSync(join(folder, "webview", "runs.js"), "// the page");
    writeFileSync(join(folder, "secret.js"), "// outside");
    writeComparedRuns(join(folder, "runs"), { count: 2, steps: 3, tasks: 2 });
    view = await serveView({
      fileSystem,
      clock: systemClock,
      parents: [join(folder, "runs")],
      run: null,
      programFolder: join(folder, "program"),
      cacheFolder: join(folder, "cache"),
      port: 0,
      log: silentLog,
    });
    address = new URL(view.url);
  });
  afterEach(async () => {
    await view?.close();
  });

  /** A path below the token. */
  const below = (path: string): string => address.pathname.replace(/runs$/, path);
  const get = (path: string, host = address.host): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { port: address.port, path, headers: { host } };
      request(options, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text) => {
          body += text;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
        );
      })
        .on("error", reject)
        .end();
    });
  const opens = (path: string, origin: string, headers = {}): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://${address.host}${path}`, { origin, headers });
      socket.on("open", () => {
        socket.close();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });

  it("serves a page that connects only to this server and that no other page can frame", async () => {
    const { status, body, headers } = await get(address.pathname);
    expect(status).toBe(200);
    expect(body).toContain("connect-src 'self'");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  it.each(["/", "/runs", "/wrong/runs", "//runs"])(
    "rejects %s, which has no token",
    async (path) => {
      expect((await get(path)).status).toBe(403);
    },
  );

  it("reports a run that no longer exists instead of showing another one", async () => {
    const run = join(folder, "runs", "later");
    const page = below(`run?id=${runIdOf(run)}`);
    expect((await get(page)).status).toBe(404);
    expect((await get(below("run"))).status).toBe(200);
    await startedRun(fileSystem, join(folder, "runs"), { name: "later" });
    expect((await get(page)).status).toBe(200);
  });

  it("rejects another host name, under which a page could read the content", async () => {
    expect((await get(address.pathname, "attacker.example")).status).toBe(403);
    expect((await get(address.pathname, `localhost:${address.port}`)).status).toBe(200);
  });

  it("serves its own scripts, and no file outside their folder", async () => {
    expect(await get(below("assets/runs.js"))).toMatchObject({ status: 200, body: "// the page" });
    const others = ["..%2Fsecret.js", "%2e%2e/secret.js", ".env", "missing.js"];
    for (const name of others) expect((await get(below(`assets/${name}`))).status).toBe(404);
  });

  it("accepts connections from its own pages only", async () => {
    const path = below("socket?page=runs");
    expect(await opens(path, address.origin)).toBe(true);
    expect(await opens(path, "https://attacker.example")).toBe(false);
    expect(await opens(path.replace(/^\/[^/]+/, "/wrong"), address.origin)).toBe(false);
    const foreign = { origin: "http://attacker.example", headers: { host: "attacker.example" } };
    expect(await opens(path, foreign.origin, foreign.headers)).toBe(false);
  });

  it("survives a connection without a valid address", async () => {
    expect(await opens("//", address.origin)).toBe(false);
    expect((await get(address.pathname)).status).toBe(200);
  });

  it("answers a page about its runs without their paths", async () => {
    const socket = new WebSocket(`ws://${address.host}${below("socket?page=runs")}`, {
      origin: address.origin,
    });
    const rows = await new Promise<string>((resolve) => {
      socket.on("open", () =>
        socket.send(JSON.stringify({ kind: "message", message: { kind: "ready" } })),
      );
      socket.on("message", (data) => {
        if (String(data).includes('"rows"')) resolve(String(data));
      });
    });
    socket.close();
    expect(rows).not.toContain(folder);
  });

  it("reports to every open dashboard what one of them has stored", async () => {
    const opened = async () => {
      const path = below("socket?page=dashboard");
      const socket = new WebSocket(`ws://${address.host}${path}`, { origin: address.origin });
      const heard = (text: string) =>
        new Promise<void>((resolve) => {
          socket.on("message", (data) => {
            if (String(data).includes(text)) resolve();
          });
        });
      const send = (message: unknown): void =>
        socket.send(JSON.stringify({ kind: "message", message }));
      const isReady = heard('"init"');
      socket.on("open", () => send({ kind: "ready" }));
      await isReady;
      return { socket, send, heard };
    };
    const [own, other] = [await opened(), await opened()];
    const isReported = other.heard('"failed ones"');
    const savedFilters = [{ name: "failed ones", filter: "{}" }];
    own.send({ kind: "keep", change: { savedFilters } });
    await isReported;
    for (const { socket } of [own, other]) socket.close();
  });

  it("reports what is missing if the package has no pages", async () => {
    const options = { fileSystem, clock: systemClock, parents: [], run: null, port: 0 };
    const failing = serveView({
      ...options,
      programFolder: join(folder, "empty", "program"),
      cacheFolder: folder,
      log: silentLog,
    });
    await expect(failing).rejects.toThrow("The pages are missing");
  });
});
