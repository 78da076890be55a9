import { describe, expect, it } from "vitest";
import { harness } from "./harness.ts";
import { json, sid, silent, stream } from "./scriptedServer.ts";

const KEY = "or_example";
const HOSTED = { name: "Acme/Maze", baseUrl: "https://sessions.openreward.ai", apiKey: KEY };

function decodeSecrets(header: string | undefined): unknown {
  return JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"));
}

it("a refused list of environments names the server, not an environment", async () => {
  const { connection, clock } = harness({ "GET /list_environments": [json(401, {})] });
  await expect(clock.run(connection.names())).rejects.toThrow(
    /^Environment http:\/\/127\.0\.0\.1:8080, .*: access denied/,
  );
});

describe("start-up queries", () => {
  it("share one session, which is released afterward", async () => {
    const { environment, server } = harness({
      "GET /maze/splits": [json(200, [{ name: "train", type: "train" }])],
      "POST /maze/num_tasks": [json(200, { num_tasks: 120, later: "addition" })],
      "GET /maze/tools": [json(200, { tools: [] })],
    });
    const [splits, count, tools] = await Promise.all([
      environment.splits(),
      environment.numTasks("train"),
      environment.tools(),
    ]);
    expect([splits, count, tools.tools]).toEqual([[{ name: "train", type: "train" }], 120, []]);
    await environment.release();
    await environment.release();
    expect(server.requests("POST /create_session")).toHaveLength(1);
    expect(server.requests("POST /delete_session")).toHaveLength(1);
    expect(server.requests("POST /maze/num_tasks")[0]?.headers["x-session-id"]).toBe(sid);
    expect(server.requests("POST /ping")).toHaveLength(0);
  });

  it("retry transient faults, but not a refusal", async () => {
    const { environment, server, clock } = harness({
      "POST /maze/num_tasks": [json(502, {}), json(500, {}), json(200, { num_tasks: 1 })],
      "GET /maze/splits": [json(500, {}), json(200, [])],
    });
    await expect(clock.run(environment.numTasks("train"))).rejects.toMatchObject({
      code: "environment-tool-crashed",
    });
    expect(server.requests("POST /maze/num_tasks")).toHaveLength(2);
    expect(await clock.run(environment.splits())).toEqual([]);
  });

  it("end with a server that never answers the opening of their session", async () => {
    const { environment, clock } = harness({ "POST /create_session": [silent()] });
    await expect(clock.run(environment.splits())).rejects.toMatchObject({
      code: "environment-unavailable",
      message: expect.stringContaining("no session within 300 s"),
    });
  });
});

describe("a name that is not found", () => {
  const missing = json(404, { detail: "Deployment not found." });
  const catalogue = json(200, {
    environments: [
      { owner: "Acme", name: "maze", id: "1" },
      { owner: "Acme", name: "Mace" },
      { owner: "Acme", name: "Wordle" },
      { owner: "Other", name: "Maze" },
    ],
    total: 4,
  });

  it("is looked up once in the same service's catalogue, without the key", async () => {
    const { environment, server } = harness(
      { "POST /create_session": [missing], "GET /v1/environments": [catalogue] },
      HOSTED,
    );
    const refused = await Promise.allSettled([environment.numTasks("train"), environment.splits()]);
    for (const { reason } of refused.filter((outcome) => outcome.status === "rejected")) {
      expect(reason).toMatchObject({
        code: "environment-not-found",
        message: expect.stringContaining("Did you mean Acme/maze or Acme/Mace?"),
        data: { near: ["Acme/maze", "Acme/Mace"], status: 404 },
      });
    }
    const asked = server.requests("GET /v1/environments");
    expect(asked.map(({ url }) => url)).toEqual([
      "https://api.openreward.ai/v1/environments?owner=Acme&limit=100&offset=0",
      "https://api.openreward.ai/v1/environments?search=Maze&limit=100&offset=0",
    ]);
    expect(asked.every(({ headers }) => headers["x-api-key"] === undefined)).toBe(true);
  });

  it("is looked up on the user's own server", async () => {
    const { environment } = harness({
      "GET /maze/splits": [json(404, { detail: "Not Found" })],
      "GET /list_environments": [json(200, ["mazes", "wordle"])],
    });
    await expect(environment.splits()).rejects.toMatchObject({ data: { near: ["local/mazes"] } });
  });

  it("is looked up under its name on the server if the configuration sets one", async () => {
    const { environment } = harness(
      { "GET /list_environments": [json(200, ["maze-v2", "wordle"])] },
      { settings: { onServer: "maze-v3" } },
    );
    await expect(environment.splits()).rejects.toMatchObject({ data: { near: ["maze-v2"] } });
  });

  it("is reported as not built if the catalogue has it", async () => {
    const own = json(200, { environments: [{ owner: "Acme", name: "Maze" }] });
    const { environment } = harness(
      { "POST /create_session": [missing], "GET /v1/environments": [own] },
      HOSTED,
    );
    await expect(environment.splits()).rejects.toMatchObject({
      code: "environment-not-found",
      message:
        "The environment Acme/Maze exists, but was never built, or no build of it succeeded. See https://openreward.ai/Acme/Maze for its builds.",
    });
  });

  it("gets the naming rules without a suggestion if the lookup fails", async () => {
    const { environment } = harness(
      { "POST /create_session": [missing], "GET /v1/environments": [json(500, "down")] },
      HOSTED,
    );
    await expect(environment.splits()).rejects.toMatchObject({
      code: "environment-not-found",
      message: expect.stringMatching(/^(?!.*Did you mean).*Acme\/Maze.*case-sensitive/),
      data: { near: [] },
    });
  });
});

describe("a hosted environment", () => {
  it("is addressed by X-Deployment, except in deletes", async () => {
    const { open, server, clock } = harness({}, HOSTED);
    const session = await open();
    await clock.advance(10_000);
    await session.close();
    const deployments = server.seen.map(({ line, headers }) => [line, headers["x-deployment"]]);
    expect(deployments).toEqual([
      ["POST /create_session", "Acme/Maze"],
      ["POST /create", "Acme/Maze"],
      ["POST /ping", "Acme/Maze"],
      ["POST /delete", undefined],
      ["POST /delete_session", undefined],
    ]);
    expect(server.seen.every(({ headers }) => headers["x-api-key"] === KEY)).toBe(true);
    expect(server.requests("POST /create")[0]?.body).toEqual({ split: "train", index: 3 });
  });

  it("follows a 308 within the origin with body and headers", async () => {
    const { environment, server } = harness(
      {
        "POST /num_tasks": [json(308, {}, { location: "/maze/num_tasks" })],
        "POST /maze/num_tasks": [json(200, { num_tasks: 7 })],
      },
      HOSTED,
    );
    expect(await environment.numTasks("train")).toBe(7);
    const [redirected] = server.requests("POST /maze/num_tasks");
    expect(redirected?.body).toEqual({ split: "train" });
    expect(redirected?.headers["x-api-key"]).toBe(KEY);
  });

  it.each(["/maze/num_tasks", "/some/prefix/maze/num_tasks"])(
    "stays under its server's path when that redirects to %s",
    async (location) => {
      const opened = stream(`event: task_id\ndata: ${sid}\n\nevent: end\ndata: \n\n`);
      const { environment, server } = harness(
        {
          "POST /some/prefix/create_session": [opened],
          "POST /some/prefix/num_tasks": [json(308, {}, { location })],
          "POST /some/prefix/maze/num_tasks": [json(200, { num_tasks: 7 })],
        },
        { ...HOSTED, baseUrl: "http://gateway.example/some/prefix" },
      );
      expect(await environment.numTasks("train")).toBe(7);
      expect(server.requests("POST /maze/num_tasks")).toEqual([]);
    },
  );

  it("does not send the key to another origin", async () => {
    const away = json(307, {}, { location: "https://elsewhere.example/num_tasks" });
    const { environment, server } = harness({ "POST /num_tasks": [away] }, HOSTED);
    await expect(environment.numTasks("train")).rejects.toMatchObject({
      code: "environment-protocol",
    });
    expect(server.requests("POST /num_tasks")).toHaveLength(1);
  });

  it("addresses a variant by path and env_name", async () => {
    const { open, server } = harness({}, { ...HOSTED, name: "Acme/Maze:large" });
    const session = await open();
    await session.tools().catch(() => undefined);
    expect(server.requests("GET /large/task_tools")[0]?.headers["x-deployment"]).toBe("Acme/Maze");
    expect(server.requests("POST /create")[0]?.body).toMatchObject({ env_name: "large" });
  });
});

describe("secrets", () => {
  const task = { split: "train", index: 0, secrets: { demo_token: "späß" } };

  it("are sent with the user's key to OpenReward's environments", async () => {
    const { environment, server, clock } = harness({}, HOSTED);
    await clock.run(environment.openSession(task));
    for (const line of ["POST /create_session", "POST /create"]) {
      expect(decodeSecrets(server.requests(line)[0]?.headers["x-secrets"])).toMatchObject({
        demo_token: { value: "späß" },
        OPENREWARD_API_KEY: { value: KEY },
        api_key: { value: KEY },
      });
    }
    expect(server.seen.filter(({ headers }) => headers["x-secrets"])).toHaveLength(2);
  });

  it("include the hosts of well-known names", async () => {
    const { environment, server, clock } = harness({}, HOSTED);
    const secrets = { OPENAI_API_KEY: "sk", other_token: "y" };
    await clock.run(environment.openSession({ split: "train", index: 0, secrets }));
    expect(decodeSecrets(server.requests("POST /create")[0]?.headers["x-secrets"])).toMatchObject({
      OPENAI_API_KEY: { value: "sk", allowed_domains: ["api.openai.com"] },
      other_token: { value: "y" },
    });
  });

  it("are sent without the key to any other server", async () => {
    const own = { name: "Acme/Maze", apiKey: "local-key" };
    const { environment, server, clock } = harness({}, own);
    await clock.run(environment.openSession(task));
    const header = server.requests("POST /create")[0]?.headers["x-secrets"];
    expect(decodeSecrets(header)).toEqual({ demo_token: { value: "späß" } });
  });

  it("are also sent in the body if the server has no /version", async () => {
    const older = harness();
    await older.clock.run(older.environment.openSession(task));
    expect(older.server.requests("POST /create")[0]?.body?.["secrets"]).toEqual(task.secrets);
    const newer = harness({ "GET /version": [json(200, { version: "0.1.167" })] });
    await newer.clock.run(newer.environment.openSession(task));
    expect(newer.server.requests("POST /create")[0]?.body).not.toHaveProperty("secrets");
  });
});

describe("names", () => {
  it.each(["", "/Maze", "Acme/", "a/b/c"])("refuses %j", (name) => {
    expect(() => harness({}, { name })).toThrow(/not an environment name/);
  });
});
