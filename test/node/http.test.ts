import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { HttpResponse } from "../../src/core/ports.ts";
import {
  type ClosableHttpClient,
  createHttpClient,
  type HttpClientOptions,
} from "../../src/node/http.ts";

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(cleanup.splice(0).map((close) => close()));
});

async function serve(listener: RequestListener, socketPath?: string): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) =>
    server.listen(socketPath ?? { port: 0, host: "127.0.0.1" }, resolve),
  );
  cleanup.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

function addressOf(server: Server): string {
  // A server on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a request with a separate client. */
function get(server: Server, more: { readonly timeoutMs?: number } = {}): Promise<HttpResponse> {
  return client().send({ method: "GET", url: addressOf(server), ...more });
}

function client(options?: HttpClientOptions): ClosableHttpClient {
  const http = createHttpClient(options);
  cleanup.push(() => http.close());
  return http;
}

/** A client whose environment sets this proxy. */
function clientThrough(proxy: string): ClosableHttpClient {
  vi.stubEnv("http_proxy", proxy);
  vi.stubEnv("https_proxy", proxy);
  vi.stubEnv("no_proxy", "");
  return client();
}

test("method, headers and body arrive, and status, headers and bytes come back", async () => {
  const server = await serve((request, response) => {
    request.setEncoding("utf8");
    request.on("data", (body) => {
      response.writeHead(422, { "X-Seen": `${request.method} ${request.headers["x-sent"]}` });
      response.end(`got ${body}`);
    });
  });
  const response = await client().send({
    method: "POST",
    url: `${addressOf(server)}/path`,
    headers: { "x-sent": "yes" },
    body: "däta",
  });
  expect(response.status).toBe(422);
  expect(response.header("x-seen")).toBe("POST yes");
  expect(response.header("X-Missing")).toBeNull();
  expect(await response.text()).toBe("got däta");
});

test("a redirect is returned like any other answer", async () => {
  const server = await serve((_request, response) => {
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  const response = await get(server);
  expect(response.status).toBe(302);
  expect(response.header("location")).toBe("/elsewhere");
  expect(await response.bytes()).toEqual(new Uint8Array());
});

test("a refused connection counts as not sent", async () => {
  const server = await serve(() => undefined);
  const url = `${addressOf(server)}/v1?key=secret`;
  await new Promise((resolve) => server.close(resolve));
  const error = await client()
    .send({ method: "GET", url })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "transport", data: { sent: false, code: "ECONNREFUSED" } });
  expect(String(error)).not.toContain("secret");
});

test("a request whose connection breaks afterward may have been served", async () => {
  const server = await serve((request) => request.socket.destroy());
  await expect(get(server)).rejects.toMatchObject({
    code: "transport",
    data: { sent: true },
  });
});

test("a truncated body is a transport error in every way of reading it", async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("partial", () => response.socket?.destroy());
  });
  const http = client();
  const send = () => http.send({ method: "GET", url: addressOf(server) });
  const fault = { code: "transport", data: { sent: true } };
  await expect((await send()).text()).rejects.toMatchObject(fault);
  await expect((await send()).bytes()).rejects.toMatchObject(fault);
  const body = (await send()).stream();
  await expect(
    (async () => {
      for await (const chunk of body) expect(chunk.length).toBeGreaterThan(0);
    })(),
  ).rejects.toMatchObject(fault);
});

test("the time limit covers the body", async () => {
  const server = await serve((_request, response) => {
    response.write("first");
  });
  const response = await get(server, { timeoutMs: 50 });
  await expect(response.text()).rejects.toMatchObject({
    code: "transport",
    message: expect.stringContaining("50 ms"),
  });
});

test("an abort rejects with the signal's reason, before, during and after the headers", async () => {
  const server = await serve((request, response) => {
    if (request.url === "/headers") response.write("first");
  });
  const http = client();
  const url = addressOf(server);
  await expect(http.send({ method: "GET", url, signal: AbortSignal.abort("before") })).rejects.toBe(
    "before",
  );
  const during = new AbortController();
  const sent = http.send({ method: "GET", url, signal: during.signal });
  during.abort("during");
  await expect(sent).rejects.toBe("during");
  const after = new AbortController();
  const response = await http.send({ method: "GET", url: `${url}/headers`, signal: after.signal });
  const text = response.text();
  after.abort("after");
  await expect(text).rejects.toBe("after");
});

test("a stream arrives in chunks and may be abandoned early", async () => {
  const server = await serve((_request, response) => {
    response.write("first");
  });
  const response = await get(server);
  const pieces: string[] = [];
  for await (const chunk of response.stream()) {
    pieces.push(Buffer.from(chunk).toString());
    break;
  }
  expect(pieces).toEqual(["first"]);
});

test("an unread body applies backpressure to the server, and is complete in the end", async () => {
  const whole = Buffer.alloc(8 * 1024 * 1024, "body");
  let isTaken = false;
  const server = await serve((_request, response) => {
    response.end(whole, () => {
      isTaken = true;
    });
  });
  const response = await get(server);
  const pieces = response.stream()[Symbol.asyncIterator]();
  let length = (await pieces.next()).value?.length ?? 0;
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isTaken).toBe(false);
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    length += piece.value.length;
  }
  expect(length).toBe(whole.length);
});

test("concurrent requests use one connection each, and later ones reuse them", async () => {
  const ports = new Set<number | undefined>();
  const held: (() => void)[] = [];
  const count = 50;
  const server = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    held.push(() => response.end("answer"));
    if (held.length === count) for (const release of held.splice(0)) release();
  });
  const http = client();
  const url = addressOf(server);
  const round = async () => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => http.send({ method: "GET", url })),
    );
    return await Promise.all(answers.map((answer) => answer.text()));
  };
  expect(await round()).toEqual(new Array(count).fill("answer"));
  // A connection is free one turn after its answer, in which a server may still close it.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(await round()).toEqual(new Array(count).fill("answer"));
  expect(ports.size).toBe(count);
});

test("an invalid request does not use up a connection", async () => {
  const server = await serve((_request, response) => void response.end("answer"));
  const http = client();
  const url = addressOf(server);
  const headers = { "x-key": "line\nbreak" };
  await expect(http.send({ method: "GET", url, headers })).rejects.toMatchObject({
    code: "transport",
    data: { sent: false },
  });
  expect(await (await http.send({ method: "GET", url })).text()).toBe("answer");
});

test("a timeout before the connection is established counts as not sent", async () => {
  const http = clientThrough(addressOf(await serve(() => undefined)));
  const request = { method: "GET", url: "http://service.example/", timeoutMs: 20 } as const;
  await expect(http.send(request)).rejects.toMatchObject({
    code: "transport",
    data: { sent: false },
  });
});

test("a socket replaces host and port", async () => {
  const name = `tinker-rl-http-${process.pid}.sock`;
  const path = process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
  await serve((request, response) => void response.end(request.url), path);
  const http = client({ socketPath: path });
  const response = await http.send({ method: "GET", url: "http://engine/api" });
  expect(await response.text()).toBe("/api");
  const missing = client({ socketPath: `${path}-missing` });
  await expect(missing.send({ method: "GET", url: "http://engine/" })).rejects.toMatchObject({
    data: { sent: false },
  });
});

test("a proxy is used for other hosts, never for this computer", async () => {
  const tunnelled: string[] = [];
  const server = await serve((_request, response) => void response.end("direct or through"));
  const port = new URL(addressOf(server)).port;
  const proxy = await serve(() => undefined);
  proxy.on("connect", (request, socket) => {
    tunnelled.push(request.url ?? "");
    const upstream = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    cleanup.push(async () => upstream.destroy());
  });
  const http = clientThrough(addressOf(proxy));
  const far = await http.send({ method: "GET", url: "http://service.example:81/" });
  const near = await http.send({ method: "GET", url: addressOf(server) });
  expect([await far.text(), await near.text()]).toEqual(["direct or through", "direct or through"]);
  expect(tunnelled).toEqual(["service.example:81"]);
});

test("no address of this computer is reached through a proxy", async () => {
  const seen: string[] = [];
  const proxy = await serve((request) => seen.push(request.url ?? ""));
  proxy.on("connect", (request, socket) => {
    seen.push(request.url ?? "");
    socket.destroy();
  });
  const server = await serve((_request, response) => void response.end("direct"));
  const { port } = new URL(addressOf(server));
  const http = clientThrough(addressOf(proxy));
  for (const host of ["127.0.0.1", "127.0.0.2", "localhost"]) {
    const sent = http.send({ method: "GET", url: `http://${host}:${port}/` });
    const answer = await sent.then((response) => response.text()).catch(() => "unreachable");
    expect(["direct", "unreachable"]).toContain(answer);
  }
  expect(seen).toEqual([]);
});

test("a proxy that closes the connection is not retried", async () => {
  const again = new AbortController();
  const asked: unknown[] = [];
  const proxy = await serve(() => undefined);
  proxy.on("connect", (request, socket) => {
    asked.push(request.url);
    if (asked.length > 1) again.abort("asked again");
    socket.end();
  });
  const http = clientThrough(addressOf(proxy));
  const { signal } = again;
  await expect(
    http.send({ method: "GET", url: "https://service.example/", signal }),
  ).rejects.toMatchObject({ code: "transport", data: { sent: false, code: "ECONNRESET" } });
});

test.each(["403 Forbidden", "407 Proxy Authentication Required", "503 Service Unavailable"])(
  "a request that a proxy rejects with %s counts as not sent",
  async (status) => {
    const proxy = await serve(() => undefined);
    proxy.on("connect", (_request, socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`));
    const http = clientThrough(addressOf(proxy));
    await expect(
      http.send({ method: "GET", url: "http://service.example/" }),
    ).rejects.toMatchObject({
      code: "transport",
      data: { sent: false },
    });
  },
);

test("a proxy that requires a password is reported", async () => {
  const proxy = await serve(() => undefined);
  proxy.on("connect", (_request, socket) =>
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
  );
  const http = clientThrough(addressOf(proxy));
  await expect(http.send({ method: "GET", url: "https://service.example/" })).rejects.toThrow(
    /Put USER:PASSWORD@ before the host in HTTPS_PROXY\.$/,
  );
});

test.each([
  ["the user and the password", "ada:100%25", "ada:100%"],
  ["a token without a password", "token", "token:"],
])("each proxy receives %s from its own address", async (_what, user, sent) => {
  const received: unknown[] = [];
  const proxy = await serve(() => undefined);
  proxy.on("connect", ({ headers }, socket) => {
    received.push(headers["proxy-authorization"]);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  const http = clientThrough(addressOf(proxy));
  vi.stubEnv("https_proxy", addressOf(proxy).replace("//", `//${user}@`));
  for (const url of ["https://service.example/", "http://service.example/"]) {
    await expect(http.send({ method: "GET", url })).rejects.toMatchObject({ code: "transport" });
  }
  expect(received).toEqual([`Basic ${btoa(sent)}`, undefined]);
});

test("an invalid proxy address is reported when it is needed, and affects nothing else", async () => {
  const server = await serve((_request, response) => void response.end("direct"));
  const http = clientThrough("socks5://127.0.0.1:1080");
  const near = await http.send({ method: "GET", url: addressOf(server) });
  expect(await near.text()).toBe("direct");
  await expect(http.send({ method: "GET", url: "http://service.example/" })).rejects.toMatchObject({
    code: "config-address-invalid",
  });
});

test("an invalid address is rejected without being shown", async () => {
  await expect(client().send({ method: "GET", url: "key=secret" })).rejects.toMatchObject({
    code: "transport",
    data: { sent: false, url: "an invalid URL" },
  });
});

test("closing ends requests in progress", async () => {
  const server = await serve(() => undefined);
  const http = createHttpClient();
  const sent = http.send({ method: "GET", url: addressOf(server) });
  await new Promise<void>((resolve) => server.once("request", () => resolve()));
  await Promise.all([http.close(), expect(sent).rejects.toMatchObject({ code: "transport" })]);
});
