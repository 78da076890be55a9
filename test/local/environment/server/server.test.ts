import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createEnvironmentServer } from "../../../../src/local/environment/server/server.ts";
import { FakeClock, settle } from "../../../fakes/fakeClock.ts";
import { counter } from "./counter.ts";
import { eventData, json, startServer } from "./running.ts";

const UNKNOWN = "7f0c6e0e-8d2b-4b0e-9f55-0a4b6f1f2c11";

describe("the endpoints of an environment", () => {
  it("list splits, tools and tasks", async () => {
    const { ask } = await startServer({ environments: [counter().environment] });
    expect(await json(await ask("/list_environments"))).toEqual(["counter"]);
    expect(await json(await ask("/COUNTER/splits"))).toHaveLength(2);
    expect(await json(await ask("/counter/tools"))).toMatchObject({
      tools: [
        {
          name: "add",
          description: "Adds to the counter.",
          input_schema: {
            type: "object",
            properties: {
              amount: { type: "integer" },
              times: { type: "integer", minimum: 1, maximum: 9, default: 1 },
            },
            required: ["amount"],
            additionalProperties: false,
          },
        },
        { name: "wait", input_schema: null },
        { name: "crash" },
      ],
      terminal_tool: null,
      supports_score_group: false,
      message_block_types: ["text", "image"],
    });
    expect(await json(await ask("/num_tasks", { body: { split: "test" } }))).toEqual({
      num_tasks: 5,
    });
    const tasks = await json(await ask("/tasks", { body: { split: "test" } }));
    expect(tasks).toMatchObject({ env_name: "counter", tasks: [{ target: 200 }, {}, {}, {}, {}] });
  });

  it("name the tool that accepts an answer in plain text", async () => {
    const { environment } = counter();
    const terminalTool = { name: "add", arg: "amount" };
    const { ask } = await startServer({ environments: [{ ...environment, terminalTool }] });
    expect(await json(await ask("/counter/tools"))).toMatchObject({
      terminal_tool: { ...terminalTool, description: "Adds to the counter." },
    });
  });

  it.each([
    [{ index: 3 }, 103],
    [{ index: -1 }, 119],
  ])("give the task at %j", async (choice, target) => {
    const { ask } = await startServer({ environments: [counter().environment] });
    const reply = await json(await ask("/counter/task", { body: { split: "train", ...choice } }));
    expect(reply).toEqual({ task: { target }, env_name: "counter" });
  });

  it.each([
    [{ start: -2 }, [203, 204]],
    [{ start: 1, stop: 3 }, [201, 202]],
    [{ start: 3, stop: 1 }, []],
    [{ stop: 99 }, [200, 201, 202, 203, 204]],
  ])("give the slice %j of the tasks", async (slice, targets) => {
    const { ask } = await startServer({ environments: [counter().environment] });
    const reply = await json(await ask("/task_range", { body: { split: "test", ...slice } }));
    expect(reply).toEqual({ tasks: targets.map((target) => ({ target })), env_name: "counter" });
  });

  it("select the environment by path, by X-Deployment, or else the first", async () => {
    const environments = [counter("first").environment, counter("second").environment];
    const { ask } = await startServer({ environments });
    const body = { split: "train", index: 0 };
    const nameOf = async (path: string, headers = {}): Promise<unknown> =>
      json(await ask(path, { body, headers }));
    expect(await nameOf("/task")).toMatchObject({ env_name: "first" });
    expect(await nameOf("/second/task")).toMatchObject({ env_name: "second" });
    const named = { "x-deployment": "Acme/Second" };
    expect(await nameOf("/task", named)).toMatchObject({ env_name: "second" });
  });

  it.each([
    ["/third/splits", undefined, 404],
    ["/nowhere", undefined, 404],
    ["/counter/score_group", { candidates: [] }, 404],
    ["/counter/splits", {}, 405],
    ["/num_tasks", { split: "nope" }, 400],
    ["/task", { split: "train", index: 20 }, 400],
    ["/task", { split: "train" }, 422],
  ])("answer %s with body %j with %i and a detail", async (path, body, status) => {
    const { ask } = await startServer({ environments: [counter().environment] });
    const response = await ask(path, { body });
    expect(response.status).toBe(status);
    expect(await json(response)).toHaveProperty("detail");
  });

  it("send the length of their JSON, and reject a body above the limit", async () => {
    const { ask } = await startServer({ environments: [counter().environment] });
    const health = await ask("/health");
    expect(health.header("content-length")).toBe(String((await health.bytes()).length));
    const big = await ask("/num_tasks", { body: { split: "x".repeat(9 * 1024 * 1024) } });
    expect(big.status).toBe(413);
  });
});

describe("a session", () => {
  it("starts only from a task that the environment returned", async () => {
    const { ask } = await startServer({ environments: [counter().environment] });
    const create = (sid: string, body: unknown) => ask("/create", { sid, body });
    expect((await create("a", { task_spec: { target: 103 } })).status).toBe(200);
    expect((await create("b", { task_spec: { target: 1 } })).status).toBe(400);
    expect((await create("c", { task_spec: {}, split: "train", index: 0 })).status).toBe(422);
    expect((await create("d", { split: "train", index: 0, toolset_name: "cli" })).status).toBe(400);
    expect((await create("a", { split: "train", index: 0 })).status).toBe(400);
    const secrets = { "x-secrets": "no base64 of JSON" };
    const broken = { sid: "e", body: { split: "train", index: 0 }, headers: secrets };
    expect((await ask("/create", broken)).status).toBe(400);
  });

  it("is required by its endpoints and gone after delete", async () => {
    const { ask, open } = await startServer({ environments: [counter().environment] });
    const sid = await open();
    expect((await ask("/ping", { method: "POST" })).status).toBe(400);
    expect((await ask("/ping", { method: "POST", sid: UNKNOWN })).status).toBe(404);
    expect((await ask("/ping", { method: "POST", sid })).status).toBe(200);
    expect(await json(await ask("/messages", { sid }))).toMatchObject([
      { role: "user", blocks: [{ type: "text", detail: null }] },
    ]);
    for (const path of ["/delete", "/delete", "/delete_session"]) {
      expect(await json(await ask(path, { method: "POST", sid }))).toEqual({ sid });
    }
    expect((await ask("/prompt", { sid })).status).toBe(404);
  });

  it("maps splits with other names to one of the three types", async () => {
    const splits = { train: 1, easy: 1, dev: 1, validation: 1, test_hard: 1 };
    const environment = { ...counter().environment, splits };
    const { ask } = await startServer({ environments: [environment] });
    expect(await json(await ask("/splits"))).toEqual([
      { name: "train", type: "train" },
      { name: "easy", type: "train" },
      { name: "dev", type: "validation" },
      { name: "validation", type: "validation" },
      { name: "test_hard", type: "test" },
    ]);
  });

  it("starts with the system text of its task, as a separate message and in the prompt", async () => {
    const environment = { ...counter().environment, system: () => "Be brief." };
    const { ask, open } = await startServer({ environments: [environment] });
    const sid = await open();
    const system = { type: "text", text: "Be brief.", detail: null };
    const user = { type: "text", text: "Bring the counter to 100. 😀", detail: null };
    expect(await json(await ask("/messages", { sid }))).toEqual([
      { role: "system", blocks: [system], detail: null },
      { role: "user", blocks: [user], detail: null },
    ]);
    expect(await json(await ask("/prompt", { sid }))).toEqual([system, user]);
  });

  it("gets its id again when the request is repeated with it", async () => {
    const { ask } = await startServer({ environments: [counter().environment] });
    const text = await (await ask("/create_session", { body: { task_id: UNKNOWN } })).text();
    expect(eventData(text, "task_id")).toBe(UNKNOWN);
  });

  it("expires after 15 minutes without ping or call", async () => {
    const clock = new FakeClock();
    const { ask, open } = await startServer({ environments: [counter().environment], clock });
    const [kept, idle] = [await open(), await open()];
    await clock.advance(600_000);
    await ask("/ping", { method: "POST", sid: kept });
    await clock.advance(305_000);
    expect((await ask("/ping", { method: "POST", sid: kept })).status).toBe(200);
    expect((await ask("/ping", { method: "POST", sid: idle })).status).toBe(404);
  });
});

describe("a server with a session limit", () => {
  it("rejects more, counts ids without an episode, and has room again after a delete", async () => {
    const { ask, open } = await startServer({
      environments: [counter().environment],
      maxSessions: 2,
    });
    const first = await open();
    await ask("/create_session", { body: {} });
    const refused = await ask("/create_session", { body: {} });
    expect(refused.status).toBe(429);
    expect(await json(refused)).toMatchObject({
      detail: expect.stringContaining("maximum capacity"),
    });
    expect((await ask("/create", { sid: "new", body: { split: "train", index: 0 } })).status).toBe(
      429,
    );
    await ask("/delete", { method: "POST", sid: first });
    expect((await ask("/create_session", { body: {} })).status).toBe(200);
  });

  it("frees the place of an unused id after two minutes", async () => {
    const clock = new FakeClock();
    const { ask } = await startServer({
      environments: [counter().environment],
      maxSessions: 1,
      clock,
    });
    await ask("/create_session", { body: {} });
    await clock.advance(125_000);
    expect((await ask("/create_session", { body: {} })).status).toBe(200);
  });
});

describe("a call", () => {
  it("runs after the previous call, and not at all after the end of the episode", async () => {
    const { environment, runs, letGo } = counter();
    const { call, open } = await startServer({ environments: [environment] });
    const sid = await open();
    const waiting = call(sid, "wait");
    await expect.poll(() => runs).toEqual(["wait"]);
    const last = call(sid, "add", { input: { amount: 100 } });
    await settle();
    expect(runs).toEqual(["wait"]);
    letGo();
    await waiting;
    expect(await last).toContain('"finished":true');
    expect(await call(sid, "add", { input: { amount: 1 } })).toContain("episode_finished");
    expect(await call(sid, "nothing")).toContain("not_found");
    expect(runs).toEqual(["wait", "add"]);
  });

  it("can be repeated for 60 s, by its own session only", async () => {
    const clock = new FakeClock();
    const { environment, runs } = counter();
    const { call, open } = await startServer({ environments: [environment], clock });
    const [sid, other] = [await open(), await open()];
    const first = await call(sid, "add", { input: { amount: 1 } });
    const again = { task_id: eventData(first, "task_id") };
    await clock.advance(59_000);
    expect(await call(sid, "add", again)).toBe(first);
    expect(await call(other, "add", again)).toBe("event: error\ndata: unknown task_id\n\n");
    await clock.advance(1_000);
    expect(await call(sid, "add", again)).toContain("unknown task_id");
    expect(runs).toEqual(["add"]);
  });

  it("sends a keep-alive every 10 s while it runs", async () => {
    const clock = new FakeClock();
    const { environment, runs, letGo } = counter();
    const { call, open } = await startServer({ environments: [environment], clock });
    const waiting = call(await open(), "wait");
    await expect.poll(() => runs).toEqual(["wait"]);
    await clock.advance(25_000);
    letGo();
    expect((await waiting).match(/^: ping - /gm)).toHaveLength(2);
  });
});

describe("access", () => {
  it("requires the key for everything except /health", async () => {
    const { ask } = await startServer({ environments: [counter().environment], apiKey: "sesame" });
    expect((await ask("/health")).status).toBe(200);
    expect((await ask("/version")).status).toBe(401);
    expect((await ask("/version", { headers: { "x-api-key": "sesam" } })).status).toBe(401);
    expect((await ask("/version", { headers: { "x-api-key": "sesame" } })).status).toBe(200);
  });

  it.each([
    ["evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost:99", 200],
    ["[::1]", 200],
  ])("with Host %s on loopback is answered with %i", async (host, status) => {
    const { baseUrl } = await startServer({ environments: [counter().environment] });
    const answered = await new Promise((resolve, reject) => {
      const asked = request(`${baseUrl}/health`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject).end();
    });
    expect(answered).toBe(status);
  });
});

describe("createEnvironmentServer", () => {
  it.each([["call"], ["Maze"], [""]])("rejects the environment name %j", (name) => {
    const environments = [counter(name).environment];
    expect(() => createEnvironmentServer({ environments, apiKey: null })).toThrow(/Rename it/);
  });

  it("rejects two environments of the same name, and none at all", () => {
    const { environment } = counter();
    const twice = { environments: [environment, environment], apiKey: null };
    expect(() => createEnvironmentServer(twice)).toThrow(/Rename it/);
    expect(() => createEnvironmentServer({ environments: [], apiKey: null })).toThrow(/no env/);
  });
});
