import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HttpRequest, HttpResponse } from "../../../src/core/ports.ts";
import { createHttpClient } from "../../../src/node/http.ts";
import type { HubSettings } from "../../../src/node/tokenizer/hubSettings.ts";
import { resolveTokenizer, type TokenizerSources } from "../../../src/node/tokenizer/resolve.ts";
import { type FakeAnswer, FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { serveHere } from "../../fakes/serveHere.ts";

const HUB = "https://hub.example";
const STORAGE = "https://storage.example";
const COMMIT = "1234567890abcdef1234567890abcdef12345678";
const NAME = "org/model";

const root = folderOfEachTest();
const files = filesOnDisk();

type Site = (path: string, url: string) => FakeReply;

function sources(site: Site, changes: Partial<HubSettings> = {}) {
  const http = new FakeHttp(({ url }) => site(new URL(url).pathname, url));
  const hub: HubSettings = {
    endpoint: HUB,
    token: "hf_secret",
    isOffline: false,
    cacheFolder: join(root, "own"),
    pythonCacheFolder: join(root, "python"),
    ...changes,
  };
  return { http, hub, files };
}

const find = (from: TokenizerSources, name = NAME) =>
  resolveTokenizer(from, { name, configFolder: root });

async function write(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), `content of ${name}`);
}

const REQUIRED = ["tokenizer.json", "tokenizer_config.json"];
const RANKS = ["tiktoken.model", "tokenizer_config.json"];
const nothing: Site = () => ({ status: 404 });

/** Redirects the tokenizer to a storage host and answers everything else itself; there is no template file. */
const hub: Site = (path, url) => {
  const headers = { "x-repo-commit": COMMIT };
  if (url.startsWith(STORAGE)) return { text: "big", headers: { "x-repo-commit": "f".repeat(40) } };
  if (path.endsWith("/chat_template.jinja")) return { status: 404 };
  if (!path.endsWith("/tokenizer.json")) return { text: "{}", headers };
  return { status: 302, headers: { ...headers, location: `${STORAGE}/blob` } };
};

describe("a tokenizer on this computer", () => {
  it("is found in a folder next to the configuration first", async () => {
    await write(join(root, NAME), REQUIRED);
    const from = sources(nothing);
    const found = { folder: join(root, NAME), source: "folder", commit: null };
    expect(await find(from)).toEqual(found);
    expect(await find(from, `./${NAME}`)).toEqual(found);
    expect(await find(from, join(root, NAME))).toEqual(found);
    expect(from.http.requests).toEqual([]);
  });

  it("is found in the cache of Python's hub library, if it is complete there", async () => {
    const model = join(root, "python/models--org--model");
    await mkdir(join(model, "refs"), { recursive: true });
    await writeFile(join(model, "refs/main"), COMMIT);
    const folder = join(model, "snapshots", COMMIT);
    await write(folder, ["tokenizer.json"]);
    await expect(find(sources(nothing))).rejects.toMatchObject({ code: "tokenizer-not-found" });
    await write(folder, REQUIRED);
    const found = { folder, source: "python cache", commit: COMMIT };
    expect(await find(sources(nothing))).toEqual(found);
  });

  it.each(["tiktoken.model", "model.tiktoken"])("may be a rank file: %s", async (name) => {
    const own = join(root, "folder");
    await write(own, [name, "tokenizer_config.json"]);
    const from = sources(nothing);
    expect(await find(from, "folder")).toEqual({ folder: own, source: "folder", commit: null });
    const model = join(root, "python/models--org--model");
    await mkdir(join(model, "refs"), { recursive: true });
    await writeFile(join(model, "refs/main"), COMMIT);
    const folder = join(model, "snapshots", COMMIT);
    await write(folder, [name]);
    await expect(find(from)).rejects.toMatchObject({ code: "tokenizer-not-found" });
    await write(folder, [name, "tokenizer_config.json"]);
    const found = { folder, source: "python cache", commit: COMMIT };
    expect(await find(from)).toEqual(found);
  });

  it("has the commit that Tinker uses if one of the caches has it, otherwise the main branch", async () => {
    const name = "moonshotai/Kimi-K2.5";
    const [taken, main] = ["4d01dfe0332d63057c186e0b262165819efb6611", "b".repeat(40)];
    const model = join(root, "python/models--moonshotai--Kimi-K2.5");
    await mkdir(join(model, "refs"), { recursive: true });
    await writeFile(join(model, "refs/main"), main);
    await write(join(model, "snapshots", main), REQUIRED);
    const from = sources(nothing);
    expect(await find(from, name)).toMatchObject({ commit: main });
    await write(join(model, "snapshots", taken), RANKS);
    expect(await find(from, name)).toMatchObject({ commit: taken });
    expect(from.http.requests).toEqual([]);
  });

  it("does not follow a reference out of the cache", async () => {
    const model = join(root, "python/models--org--model");
    await mkdir(join(model, "refs"), { recursive: true });
    await writeFile(join(model, "refs/main"), "../../elsewhere");
    await write(join(root, "elsewhere"), REQUIRED);
    await expect(find(sources(nothing))).rejects.toMatchObject({ code: "tokenizer-not-found" });
  });
});

describe("a tokenizer from the hub", () => {
  it("is downloaded once, complete, and from one commit", async () => {
    const from = sources(hub);
    const folder = join(root, "own/org--model", COMMIT);
    expect(await find(from)).toEqual({ folder, source: "hub", commit: COMMIT });
    expect(await readFile(join(folder, "tokenizer.json"), "utf8")).toBe("big");
    expect((await readdir(folder)).sort()).toEqual(REQUIRED);
    expect(from.http.requests.map(({ url }) => url)).toEqual([
      `${HUB}/org/model/resolve/main/tokenizer_config.json`,
      `${HUB}/org/model/resolve/${COMMIT}/chat_template.jinja`,
      `${HUB}/org/model/resolve/${COMMIT}/tokenizer.json`,
      `${STORAGE}/blob`,
    ]);
    const offline = sources(nothing, { isOffline: true });
    expect(await find(offline)).toEqual({ folder, source: "cache", commit: COMMIT });
  });

  it("is a rank file if the hub has no tokenizer.json, and is used from the cache afterward", async () => {
    const headers = { "x-repo-commit": COMMIT };
    const from = sources((path) =>
      RANKS.some((name) => path.endsWith(`/${name}`)) ? { text: "{}", headers } : { status: 404 },
    );
    const folder = join(root, "own/org--model", COMMIT);
    expect(await find(from)).toEqual({ folder, source: "hub", commit: COMMIT });
    expect((await readdir(folder)).sort()).toEqual(RANKS);
    const offline = sources(nothing, { isOffline: true });
    expect(await find(offline)).toEqual({ folder, source: "cache", commit: COMMIT });
  });

  it("has the file name that the hub lists, if it is a plain one", async () => {
    const names = ["../out.tiktoken", "b.tiktoken", "README.md", "tokenizer_config.json"];
    const siblings = names.map((rfilename) => ({ rfilename }));
    const from = sources((path) => {
      if (path.startsWith("/api/models/org/model/revision/")) return { json: { siblings } };
      const isThere = path.endsWith("/b.tiktoken") || path.endsWith("/tokenizer_config.json");
      return isThere ? { text: "{}", headers: { "x-repo-commit": COMMIT } } : { status: 404 };
    });
    const { folder } = await find(from);
    expect((await readdir(folder)).sort()).toEqual(["b.tiktoken", "tokenizer_config.json"]);
  });

  it("sends the token to the hub, and to no host that it redirects to", async () => {
    const from = sources(hub);
    await find(from);
    const sent = from.http.requests.map(({ url, headers }) => [
      new URL(url).origin,
      headers?.["authorization"] ?? null,
    ]);
    expect(sent.filter(([origin]) => origin === STORAGE)).toEqual([[STORAGE, null]]);
    expect(sent.filter(([origin]) => origin === HUB).map(([, token]) => token)).toEqual(
      Array(3).fill("Bearer hf_secret"),
    );
  });

  it("leaves no answer unread, which would keep the process from ending", async () => {
    const from = sources(hub);
    let unread = 0;
    const send = async (request: HttpRequest): Promise<HttpResponse> => {
      const response = await from.http.send(request);
      unread += 1;
      const read = <T>(work: () => T): T => {
        unread -= 1;
        return work();
      };
      return {
        ...response,
        bytes: () => read(response.bytes),
        stream: () => read(response.stream),
      };
    };
    await find({ ...from, http: { send } });
    expect(unread).toBe(0);
  });

  it("computes a commit of its own if the hub names none", async () => {
    const found = await find(sources((path) => ({ text: path })));
    expect(found.commit).toMatch(/^[0-9a-f]{64}$/);
    expect(await find(sources(nothing))).toEqual({ ...found, source: "cache" });
  });

  it("reports its progress", async () => {
    const seen: unknown[] = [];
    const onProgress = (progress: unknown): void => void seen.push(progress);
    await find({ ...sources(hub), onProgress });
    expect(seen.at(-1)).toEqual({ file: "tokenizer.json", receivedBytes: 3, totalBytes: 3 });
  });

  it("is aborted with the reason of the abort", async () => {
    const stopping = new AbortController();
    const reason = new Error("stopped");
    const finding = find({ ...sources(() => "hang"), signal: stopping.signal });
    stopping.abort(reason);
    await expect(finding).rejects.toBe(reason);
  });

  it.each<[what: string, answer: FakeReply, code: string, message: RegExp]>([
    ["is unknown", { status: 404 }, "tokenizer-not-found", /has no tokenizer_config\.json of org/],
    ["is gated", { status: 403 }, "tokenizer-gated", /license.*HF_TOKEN/],
    ["needs a token", { status: 401 }, "tokenizer-gated", /license.*HF_TOKEN/],
    ["meets a broken hub", { status: 500 }, "tokenizer-download", /answered 500/],
    ["meets no hub", "lost", "tokenizer-download", /connection reset.*set `tokenizer_name`/],
    ["is sent in circles", moved(`${HUB}/a`), "tokenizer-download", /more than 5 times/],
    ["is sent into the open", moved("http://hub.example/a"), "tokenizer-download", /encryption/],
  ])("that %s is an error that says what to do", async (_what, answer, code, message) => {
    const finding = find(sources(() => answer));
    await expect(finding).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await files.list(join(root, "own"))).toEqual([]);
  });

  it("that a storage host refuses is not reported as gated, and names the host", async () => {
    const finding = find(
      sources((path, url) => (url.startsWith(STORAGE) ? { status: 403 } : hub(path, url))),
    );
    await expect(finding).rejects.toMatchObject({
      code: "tokenizer-download",
      message: expect.stringMatching(/storage\.example.*answered 403/),
    });
  });

  it("that is interrupted leaves no files", async () => {
    const { url, close } = await serveHere((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      if (request.url?.endsWith("/tokenizer.json"))
        response.write("half", () => response.destroy());
      else response.end(" ".repeat(100));
    });
    const http = createHttpClient();
    const from = { ...sources(nothing, { endpoint: url }), http };
    await expect(find(from)).rejects.toMatchObject({ code: "tokenizer-download" });
    expect(await files.list(join(root, "own"))).toEqual([]);
    await http.close();
    close();
  });
});

describe("a name that cannot be resolved", () => {
  it("lists the searched places when offline", async () => {
    const from = sources(hub, { isOffline: true });
    const finding = find(from);
    await expect(finding).rejects.toMatchObject({ code: "tokenizer-offline" });
    for (const path of [NAME, "own/org--model", "python/models--org--model/snapshots"]) {
      await expect(finding).rejects.toThrow(join(root, path));
    }
    expect(from.http.requests).toEqual([]);
  });

  it.each(["./missing", "/missing/folder", "../up", "a/b/c", "org/model:tuned", "two words"])(
    "is never requested from the hub if it is no model name: %s",
    async (name) => {
      const from = sources(hub);
      await expect(find(from, name)).rejects.toMatchObject({ code: "tokenizer-not-found" });
      expect(from.http.requests).toEqual([]);
    },
  );
});

function moved(location: string): FakeAnswer {
  return { status: 302, headers: { location } };
}
