import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { userFault } from "../../../src/local/engine/service/http/faults.ts";
import { createHttpServer, type HttpServerOptions } from "../../../src/local/http/httpServer.ts";
import { listen } from "../../../src/local/http/listen.ts";
import { refusal } from "../../../src/local/http/refusal.ts";
import { jsonReply } from "../../../src/local/http/reply.ts";
import { systemRandom } from "../../../src/node/random.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function serverWith(options: Partial<HttpServerOptions>) {
  const server = createHttpServer({
    key: null,
    log: silentLog,
    prefix: "/api/v1",
    routes: {
      "GET /items/{id}": ({ params }) => jsonReply({ id: params["id"] ?? "" }),
      "POST /items": ({ body }) => jsonReply({ bytes: body.length }),
      "GET /refused": () => {
        throw refusal(400, "not like this");
      },
      "GET /mistake": () => {
        throw userFault("a bad name");
      },
      "GET /bug": () => {
        throw new TypeError("secret detail");
      },
    },
    ...options,
  });
  closing.push(() => server.close());
  return server;
}

async function start(options: Partial<HttpServerOptions> = {}): Promise<string> {
  const address = await listen(serverWith(options), { kind: "port", port: 0 });
  return `${address}/api/v1`;
}

describe("the HTTP server", () => {
  it.each(["s:train:0", "s%3Atrain%3A0"])(
    "reads ids from a path, escaped or not: %s",
    async (id) => {
      const response = await fetch(`${await start()}/items/${id}`);
      expect(await response.json()).toEqual({ id: "s:train:0" });
    },
  );

  it.each([
    ["/refused", 400, "not like this"],
    ["/mistake", 400, "a bad name"],
    ["/nowhere", 404, "Not Found"],
    ["/items/%zz", 400, "The path segment %zz is not valid percent-encoding."],
    ["/bug", 500, "Internal error. See the log."],
  ])("answers %s with status, detail and length", async (path, status, detail) => {
    const response = await fetch((await start()) + path);
    expect(response.status).toBe(status);
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0);
    expect(await response.json()).toEqual({ detail });
  });

  it("has routes below its prefix only", async () => {
    const base = await start();
    expect((await fetch(base.replace("/api/v1", "/items/1"))).status).toBe(404);
  });

  it("rejects bodies beyond its limit", async () => {
    const url = `${await start({ maxBodyBytes: 10 })}/items`;
    expect((await fetch(url, { method: "POST", body: "0123456789" })).status).toBe(200);
    expect((await fetch(url, { method: "POST", body: "0123456789a" })).status).toBe(413);
  });

  it("requires the key in every request, if there is one", async () => {
    const url = `${await start({ key: "tml-secret" })}/items/1`;
    const status = async (headers: Record<string, string>) =>
      (await fetch(url, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ "X-API-Key": "tml-secre" })).toBe(401);
    expect(await status({ "X-API-Key": "tml-secret" })).toBe(200);
    expect(await status({ Authorization: "Bearer tml-secret" })).toBe(200);
    expect(await status({ Authorization: "Bearer tml-secre" })).toBe(401);
    expect(await status({ Authorization: "tml-secret" })).toBe(401);
  });

  it("reports errors in the format of the protocol that it serves", async () => {
    const errorBody: HttpServerOptions["errorBody"] = ({ status, detail, path }) => {
      return { error: [status, detail, path] };
    };
    const url = await start({ errorBody });
    const at = async (path: string) => (await fetch(`${url}${path}`)).json();
    expect(await at("/refused?x=1")).toEqual({ error: [400, "not like this", "/refused"] });
    expect(await at("/nowhere")).toEqual({ error: [404, "Not Found", "/nowhere"] });
  });

  it.skipIf(process.platform === "win32")("listens on a socket", async () => {
    const path = join(tmpdir(), `${systemRandom.uuid().slice(0, 8)}.sock`);
    expect(await listen(serverWith({}), { kind: "socket", path })).toBe(path);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(path, () => {
        socket.write("GET /api/v1/items/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      });
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toContain('{"id":"7"}');
  });

  it("reports which port is taken", async () => {
    const address = await start();
    const port = Number(new URL(address).port);
    await expect(listen(serverWith({}), { kind: "port", port })).rejects.toMatchObject({
      code: "listen-failed",
      message: expect.stringContaining(`port ${port}`),
    });
  });
});
