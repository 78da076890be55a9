import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { TINKER_URL } from "../../../src/core/services.ts";
import type { ServiceClient, TinkerOptions } from "../../../src/core/tinker/serviceClient.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { type FakeReply, jsonBody } from "../../fakes/fakeHttp.ts";
import { fakeTinker, type Interception, pathOf } from "../../fakes/fakeTinker.ts";

const SAMPLE = { prompt: [1], maxTokens: 1, temperature: 1, topK: -1, topP: 1 };

/** A connected client, and what it reports. */
async function service(intercept?: Interception, options: Partial<TinkerOptions> = {}) {
  const server = fakeTinker(intercept);
  const messages: string[] = [];
  const client = await server.connect({
    userMetadata: { run: "demo" },
    displayName: "Demo",
    tags: ["t"],
    onMessage: ({ text }) => messages.push(text),
    ...options,
  });
  return { ...server, client, messages };
}

describe("connecting", () => {
  it("sends the client version and opens no session yet", async () => {
    const { http, clock } = await service();
    expect(http.requests.map(pathOf)).toEqual(["client/config"]);
    expect(http.requests.map(jsonBody)).toEqual([{ sdk_version: "0.38.0" }]);
    expect(clock.sleeping).toBe(0);
  });

  it("uses defaults for a server without a config", async () => {
    await expect(
      service((path) => (path === "client/config" ? { status: 404, json: {} } : undefined)),
    ).resolves.toBeDefined();
  });

  it("gives up on a server that does not answer within half a minute", async () => {
    const { connect, clock, requestsTo } = fakeTinker(() => ({ status: 503, json: {} }));
    const attempt = clock.run(connect());
    await expect(attempt).rejects.toMatchObject({ code: "tinker-unavailable" });
    await expect(attempt).rejects.toThrow(/then start or resume the run\.$/);
    expect(clock.monotonic()).toBeLessThan(30_000);
    // Also for a server that hangs: two attempts fit in.
    expect(requestsTo("client/config")[0]?.timeoutMs).toBeLessThanOrEqual(15_000);
  });

  it.each([
    "client/config",
    "auth/token",
    "get_server_capabilities",
    "create_session",
    "create_model",
    "load_weights",
  ])(
    "ends at once at an account that is blocked at %s, unless work would be lost",
    async (blocked) => {
      const answers = new Map<string, FakeReply>([
        ["client/config", { json: { pjwt_auth_enabled: true } }],
        ["auth/token", { json: { jwt: `eyJ.${btoa("{}")}.sig` } }],
        ["get_server_capabilities", { json: { supported_models: [] } }],
      ]);
      const refusing = (count: number) => {
        let refusals = count;
        return fakeTinker((path) => {
          if (path === blocked && refusals-- > 0) return { status: 402, json: {} };
          return answers.get(path);
        });
      };
      const begin = async (client: ServiceClient) => {
        if (blocked === "get_server_capabilities") await client.capabilities();
        return blocked === "load_weights"
          ? client.createTrainingClientFromState("tinker://r/weights/w", { optimizer: true })
          : client.createTrainingClient({ baseModel: "org/model", rank: 8 });
      };
      const starting = refusing(Number.POSITIVE_INFINITY);
      const attempt = starting.clock.run(starting.connect().then(begin));
      await expect(attempt).rejects.toMatchObject({ code: "tinker-billing" });
      expect(starting.requestsTo(blocked)).toHaveLength(1);
      const trained = refusing(2);
      const client = await trained.clock.run(trained.connect({ waitsForBills: "all" }));
      await trained.clock.run(begin(client));
      expect(trained.requestsTo(blocked)).toHaveLength(3);
      client.close();
    },
  );

  it("does not wait for a bill to be paid when a person waits for the answer", async () => {
    const { client, messages, ...server } = await service(
      (path) =>
        path === "asample" ? { status: 402, json: { detail: "out of credit" } } : undefined,
      { waitsForBills: "none" },
    );
    const sampler = await client.samplerForBase("org/model");
    await expect(server.clock.run(sampler.sample(SAMPLE))).rejects.toThrow(
      /: out of credit\. Check the billing of your Tinker account at https:/,
    );
    expect(server.requestsTo("asample")).toHaveLength(1);
    expect(messages).toEqual([]);
    client.close();
  });

  it("rejects a key in a format unknown to the hosted service without sending it", async () => {
    const server = fakeTinker();
    const attempt = server.connect({ baseUrl: TINKER_URL, apiKey: "sk-something" });
    await expect(attempt).rejects.toMatchObject({ code: "tinker-auth" });
    await expect(attempt).rejects.not.toThrow(/sk-something/);
    expect(server.http.requests).toEqual([]);
  });

  it("names a refused key and where it came from", async () => {
    const keySource = { name: "TINKER_API_KEY", origin: "dotenv" } as const;
    const refusing = fakeTinker(() => ({ status: 401, json: { detail: "no" } }));
    await expect(refusing.connect({ keySource })).rejects.toThrow(
      /^Tinker answered 401 .*: no\. Check that TINKER_API_KEY \(from \.env\) is valid and may use/,
    );
    const malformed = fakeTinker().connect({ baseUrl: TINKER_URL, apiKey: "sk-x", keySource });
    await expect(malformed).rejects.toThrow(/^TINKER_API_KEY \(from \.env\) does not begin with/);
  });

  it("uses tokens when the server requires them", async () => {
    const jwt = `eyJ.${btoa("{}")}.x`;
    const server = fakeTinker((path) => {
      if (path === "client/config") return { json: { pjwt_auth_enabled: true } };
      return path === "auth/token" ? { json: { jwt } } : undefined;
    });
    const client = await server.connect();
    await client.samplerForBase("org/model");
    expect(server.http.requests.map((request) => request.headers?.["X-API-Key"])).toEqual([
      "tml-secret",
      "tml-secret",
      jwt,
      jwt,
    ]);
  });

  it("lists the models that a server offers", async () => {
    const { client } = await service((path) =>
      path === "get_server_capabilities"
        ? { json: { supported_models: [{ model_name: "org/model", trainable: false }, {}] } }
        : undefined,
    );
    await expect(client.capabilities()).resolves.toEqual([
      { name: "org/model", maxContextLength: null, isTrainable: false },
    ]);
  });
});

describe("a server with missing features", () => {
  it("may list no models", async () => {
    const { client } = await service((path) =>
      path === "get_server_capabilities" ? { status: 404, json: {} } : undefined,
    );
    await expect(client.capabilities()).resolves.toBeNull();
  });

  it("is not a Tinker server if it has no health endpoint either", async () => {
    const missing = ["get_server_capabilities", "client/config", "healthz"];
    const without = (paths: readonly string[]) =>
      fakeTinker((path) => (paths.includes(path) ? { status: 404, json: {} } : undefined));
    const older = await without(missing.slice(0, 2)).connect();
    await expect(older.capabilities()).resolves.toBeNull();
    const client = await without(missing).connect({ addressSource: "TINKER_BASE_URL" });
    await expect(client.capabilities()).rejects.toMatchObject({
      code: "config-address-invalid",
      message: expect.stringContaining("Correct TINKER_BASE_URL"),
    });
  });

  it.each([{ status: 404, json: {} }, { json: {} }, { json: { model_data: null } }])(
    "may report nothing about a model: %o",
    async (info) => {
      const { client } = await service((path) => (path === "get_info" ? info : undefined));
      const model = await client.createTrainingClient({ baseModel: "org/model", rank: 8 });
      expect(model.info()).toEqual({
        modelId: "S:train:0",
        baseModel: null,
        loraRank: null,
      });
    },
  );
});

describe("a server's notice", () => {
  it("is passed on when the session begins", async () => {
    const messages: unknown[] = [];
    const server = fakeTinker((path) =>
      path === "create_session"
        ? {
            json: {
              session_id: "S",
              info_message: "hello",
              warning_message: "old",
              error_message: "bad",
            },
          }
        : undefined,
    );
    const client = await server.connect({ onMessage: (message) => messages.push(message) });
    await client.samplerForBase("org/model");
    expect(messages).toEqual([
      { level: "info", text: "hello" },
      { level: "warn", text: "old" },
      { level: "warn", text: "bad" },
    ]);
  });

  it("is passed on only once when every answer repeats it", async () => {
    const messages: unknown[] = [];
    const headers = { "x-deprecation-note": "0.38 ends in May" };
    const server = fakeTinker((path) =>
      path === "get_server_capabilities" ? { headers, json: { supported_models: [] } } : undefined,
    );
    const client = await server.connect({ onMessage: (message) => messages.push(message) });
    await client.capabilities();
    await client.capabilities();
    expect(messages).toEqual([{ level: "warn", text: "0.38 ends in May" }]);
  });
});

/** Duration of a poll that the server holds, with a timer that fires early. */
const HELD_MS = 45_000 - 0.5;

/** Creates a model on a server that times out on the first `held` polls. */
async function heldPolls({ held, heartbeat }: { held: number; heartbeat?: FakeReply }) {
  const messages: string[] = [];
  const server = fakeTinker((path) => (path === "session_heartbeat" ? heartbeat : undefined));
  const { clock, http } = server;
  const send = http.send.bind(http);
  http.send = async (request) => {
    const answer = await send(request);
    if (pathOf(request) !== "retrieve_future" || held-- <= 0) return answer;
    await clock.sleep(HELD_MS);
    throw new AppError("transport", "no complete answer in time");
  };
  const client = await server.connect({ onMessage: ({ text }) => messages.push(text) });
  const creating = client.createTrainingClient({ baseModel: "org/model", rank: 8 });
  return { ...server, creating, messages };
}

describe("a server that answers heartbeats", () => {
  it("may hold a poll for as long as the operation takes", async () => {
    const { creating, clock, requestsTo, messages } = await heldPolls({ held: 40 });
    await clock.run(creating);
    expect(requestsTo("retrieve_future")).toHaveLength(41);
    expect(clock.monotonic()).toBe(40 * HELD_MS);
    expect(messages).toEqual([]);
  });

  it("is reported when it pauses an operation for more than half a minute", async () => {
    let pauses = 20;
    const { client, messages, ...server } = await service((path) =>
      path === "retrieve_future" && pauses-- > 0
        ? { json: { type: "try_again", queue_state: "paused_rate_limit" } }
        : undefined,
    );
    await server.clock.run(client.createTrainingClient({ baseModel: "org/model", rank: 8 }));
    expect(messages).toEqual([
      "It has paused requests (its rate limit is reached). They continue by themselves.",
      "It continues with requests.",
    ]);
  });

  it("is reported once when it pauses one operation and works on another", async () => {
    const { client, messages, ...server } = await service((path, request) => {
      if (path !== "retrieve_future") return undefined;
      const isSample = String(jsonBody(request)["request_id"]).startsWith("asample");
      const state = isSample ? "paused_capacity" : "active";
      return { json: { type: "try_again", queue_state: state } };
    });
    const sampler = await client.samplerForBase("org/model");
    const stop = new AbortController();
    const sampling = sampler.sample(SAMPLE, { signal: stop.signal });
    const creating = client.createTrainingClient({ baseModel: "org/model", rank: 8 });
    await server.clock.advance(120_000);
    const paused =
      "It has paused requests (it has no capacity at present). They continue by themselves.";
    expect(messages).toEqual([paused]);
    stop.abort();
    await expect(sampling).rejects.toMatchObject({ name: "AbortError" });
    expect(messages).toEqual([paused]);
    await server.clock.advance(10_000);
    expect(messages).toEqual([paused, "It continues with requests."]);
    client.close();
    await expect(creating).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is considered unavailable when it stops answering them while it holds polls", async () => {
    const heartbeat = { status: 503 };
    const { creating, clock } = await heldPolls({ held: Number.POSITIVE_INFINITY, heartbeat });
    await expect(clock.run(creating)).rejects.toMatchObject({ code: "tinker-unavailable" });
  });

  it("is reported once when it limits requests", async () => {
    let isRefusing = true;
    const { client, messages, ...server } = await service((path) =>
      path === "asample" && isRefusing ? { status: 429, json: {} } : undefined,
    );
    const sampler = await client.samplerForBase("org/model");
    const sampling = sampler.sample(SAMPLE);
    await server.clock.advance(120_000);
    expect(messages).toEqual([
      "It is refusing requests (status 429, it limits requests). They are being retried.",
    ]);
    isRefusing = false;
    await server.clock.run(sampling);
    expect(messages.slice(1)).toEqual(["It accepts requests again."]);
  });

  it.each(["asample", "retrieve_future"])(
    "is reported immediately, with its message and what to do, when it answers 402 to %s",
    async (blocked) => {
      let isBlocked = true;
      const { client, messages, ...server } = await service((path) =>
        path === blocked && isBlocked
          ? { status: 402, json: { detail: "Your account is out of credit" } }
          : undefined,
      );
      const sampler = await client.samplerForBase("org/model");
      const sampling = sampler.sample(SAMPLE);
      await server.clock.advance(1_000);
      const report =
        "It is refusing requests (status 402: Your account is out of credit). Check the billing of your Tinker account at https://tinker.thinkingmachines.ai. Requests are retried for up to 60 min.";
      expect(messages).toEqual([report]);
      await server.clock.advance(120_000);
      expect(messages).toEqual([report]);
      isBlocked = false;
      await server.clock.run(sampling);
      expect(messages.slice(1)).toEqual(["It accepts requests again."]);
    },
  );

  it.each(["asample", "retrieve_future"])(
    "is not reported as recovered from 402 to %s when it answers other requests",
    async (blocked) => {
      let refused: { readonly id: unknown } | null = null;
      const { client, messages, ...server } = await service((path, request) => {
        if (path !== blocked) return undefined;
        const { request_id: id } = jsonBody(request);
        refused ??= { id };
        return refused.id === id ? { status: 402, json: {} } : undefined;
      });
      const sampler = await client.samplerForBase("org/model");
      const stop = new AbortController();
      const sampling = sampler.sample(SAMPLE, { signal: stop.signal });
      await server.clock.advance(1_000);
      await client.createTrainingClient({ baseModel: "org/model", rank: 8 });
      await client.samplerForPath("tinker://r/sampler_weights/w");
      await server.clock.advance(20_000);
      expect(messages).toEqual([expect.stringContaining("status 402")]);
      stop.abort();
      await expect(sampling).rejects.toMatchObject({ name: "AbortError" });
      client.close();
    },
  );

  it("is not reported as recovered when it lets the session end", async () => {
    const { client, messages, ...server } = await service((path) =>
      path === "asample" ? { status: 402, json: {} } : undefined,
    );
    const sampler = await client.samplerForBase("org/model");
    const stop = new AbortController();
    const sampling = sampler.sample(SAMPLE, { signal: stop.signal });
    await server.clock.advance(1_000);
    stop.abort();
    await expect(sampling).rejects.toMatchObject({ name: "AbortError" });
    await client.finish("interrupted");
    expect(server.requestsTo("sessions/S/finish")).toHaveLength(1);
    expect(messages).toHaveLength(1);
  });

  it.each([
    ["work and answers polls", "asample"],
    ["polls alone", "retrieve_future"],
  ])("is reported once when it refuses %s", async (_what, refused) => {
    let isRefusing = true;
    const { client, messages, ...server } = await service((path) => {
      if (!isRefusing) return undefined;
      if (path === refused) return { status: 503, json: {} };
      return path === "retrieve_future" ? { json: { type: "try_again" } } : undefined;
    });
    const sampler = await client.samplerForBase("org/model");
    const working = Promise.all([
      sampler.sample(SAMPLE),
      client.createTrainingClient({ baseModel: "org/model", rank: 8 }),
    ]);
    await server.clock.advance(120_000);
    expect(messages).toEqual(["It is refusing requests (status 503). They are being retried."]);
    isRefusing = false;
    await server.clock.run(working);
    expect(messages.slice(1)).toEqual(["It accepts requests again."]);
  });
});

describe("the session", () => {
  it("begins once, with the first sampler or model", async () => {
    const { client, requestsTo } = await service();
    await Promise.all([client.samplerForBase("org/model"), client.samplerForBase("org/model")]);
    expect(requestsTo("create_session").map(jsonBody)).toEqual([
      {
        tags: ["t"],
        user_metadata: { run: "demo" },
        sdk_version: "0.38.0",
        display_name: "Demo",
        type: "create_session",
      },
    ]);
  });

  it("is finished once, with a reason, and its heartbeats end", async () => {
    const { client, clock, requestsTo } = await service();
    await client.samplerForBase("org/model");
    await client.finish("success", "done");
    await client.finish("errored");
    expect(requestsTo("sessions/S/finish").map(jsonBody)).toEqual([
      { reason: { type: "success" }, detail: "done" },
    ]);
    expect(clock.sleeping).toBe(0);
  });

  it("can be closed on a server that cannot finish sessions", async () => {
    const { client } = await service((path) =>
      path.endsWith("/finish") ? { status: 404, json: {} } : undefined,
    );
    await client.samplerForBase("org/model");
    await expect(client.finish("interrupted")).resolves.toBeUndefined();
  });

  it("needs no finish when it never began", async () => {
    const { client, http } = await service();
    await client.finish("success");
    expect(http.requests.map(pathOf)).toEqual(["client/config"]);
  });

  it("cancels open polls when closed, without a change on the service", async () => {
    const { client, clock, requestsTo } = await service((path) =>
      path === "retrieve_future" ? "hang" : undefined,
    );
    const model = client.createTrainingClient({ baseModel: "org/model", rank: 8 });
    await settle();
    client.close();
    await expect(model).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.sleeping).toBe(0);
    expect(requestsTo("sessions/S/finish")).toEqual([]);
  });
});

describe("resuming", () => {
  const path = "tinker://OLD:train:0/weights/step-10";

  it("creates the model with the load request", async () => {
    const { client, requestsTo } = await service();
    const resumed = await client.createTrainingClientFromState(path, { optimizer: true });
    expect(requestsTo("load_weights").map(jsonBody)).toEqual([
      { session_id: "S", model_seq_id: 0, path, optimizer: true, type: "load_weights" },
    ]);
    expect(resumed.modelId).toBe("S:train:0");
    expect(requestsTo("create_model")).toEqual([]);
  });

  it("names another variant of the checkpoint's model", async () => {
    const { client, requestsTo } = await service();
    const baseModel = "org/base:peft:262144";
    await client.createTrainingClientFromState(path, { optimizer: false, baseModel });
    expect(requestsTo("load_weights").map(jsonBody)).toMatchObject([{ base_model: baseModel }]);
  });

  it("names another variant of the checkpoint's model to a server that needs three calls, too", async () => {
    const { client, requestsTo } = await service((to, request) => {
      if (to === "load_weights" && jsonBody(request)["model_id"] === undefined) {
        return { status: 422, json: { detail: "model_id" } };
      }
      return to === "weights_info"
        ? { json: { base_model: "org/base", lora_rank: 16 } }
        : undefined;
    });
    const baseModel = "org/base:peft:262144";
    await client.createTrainingClientFromState(path, { optimizer: false, baseModel });
    expect(requestsTo("create_model").map(jsonBody)).toMatchObject([{ base_model: baseModel }]);
  });

  it("predicts the model's id when the server does not return it", async () => {
    const { client } = await service((to) =>
      to === "retrieve_future" ? { json: { model_id: null } } : undefined,
    );
    const resumed = await client.createTrainingClientFromState(path, { optimizer: true });
    expect(resumed.modelId).toBe("S:train:0");
  });

  it.each([
    ["422", 422, [{ loc: ["body", "model_id"], msg: "Field required" }]],
    ["a 400 about the model id", 400, "model_id is required"],
  ])("falls back to three calls after %s, and numbers the load", async (_name, status, detail) => {
    const { client, requestsTo } = await service((to, request) => {
      if (to === "load_weights" && jsonBody(request)["model_id"] === undefined) {
        return { status, json: { detail } };
      }
      return to === "weights_info"
        ? { json: { base_model: "org/base", lora_rank: 16, train_mlp: false } }
        : undefined;
    });
    const resumed = await client.createTrainingClientFromState(path, { optimizer: true });
    expect(requestsTo("create_model").map(jsonBody)).toMatchObject([
      { base_model: "org/base", lora_config: { rank: 16, train_mlp: false, train_attn: true } },
    ]);
    expect(requestsTo("load_weights").map(jsonBody).at(-1)).toEqual({
      model_id: resumed.modelId,
      seq_id: 1,
      path,
      optimizer: true,
      type: "load_weights",
    });
    await resumed.saveState("next");
    expect(requestsTo("save_weights").map(jsonBody)).toMatchObject([{ seq_id: 2 }]);
  });

  it("refuses a checkpoint without training state", async () => {
    const { client } = await service();
    const attempt = client.createTrainingClientFromState("tinker://R/sampler_weights/a", {
      optimizer: true,
    });
    await expect(attempt).rejects.toThrow(/not a checkpoint of kind weights/);
  });
});

describe("samplers and checkpoints", () => {
  it("opens a sampler of a stored checkpoint and requests its base model", async () => {
    const { client, requestsTo } = await service();
    const sampler = await client.samplerForPath("tinker://R:train:0/sampler_weights/a");
    expect(sampler).toMatchObject({ samplerId: "S:sample:0", baseModel: "org/model" });
    expect(requestsTo("samplers/S:sample:0")).toHaveLength(1);
  });

  it("lists, limits, and deletes checkpoints by path", async () => {
    const listed = { tinker_path: "tinker://R:train:0/weights/a" };
    const { client, http } = await service((path) =>
      path.endsWith("/checkpoints") ? { json: { checkpoints: [listed] } } : undefined,
    );
    await expect(client.listCheckpoints("R:train:0")).resolves.toEqual([
      {
        path: listed.tinker_path,
        time: null,
        sizeBytes: null,
        expiresAt: null,
        isPublic: null,
        userMetadata: {},
      },
    ]);
    await client.setCheckpointTtl(listed.tinker_path, null);
    await client.deleteCheckpoint(listed.tinker_path);
    expect(
      http.requests.slice(-2).map((request) => [request.method, pathOf(request), request.body]),
    ).toEqual([
      ["PUT", "training_runs/R:train:0/checkpoints/weights/a/ttl", '{"ttl_seconds":null}'],
      ["DELETE", "training_runs/R:train:0/checkpoints/weights/a", undefined],
    ]);
  });

  it.each([
    ["tinker://R:train:0/weights/%2e%2e", "training_runs/R:train:0/checkpoints/weights/%252e%252e"],
    ["tinker://R#x/weights/a?b", "training_runs/R%23x/checkpoints/weights/a%3Fb"],
  ])("encodes the parts of %s, to name no other resource", async (path, resource) => {
    const { client, http } = await service(() => undefined);
    await client.deleteCheckpoint(path);
    expect(http.requests.at(-1)?.url.endsWith(`/${resource}`)).toBe(true);
  });

  it("sends no request for a path with a part that means another folder", async () => {
    const { client, http } = await service(() => undefined);
    const before = http.requests.length;
    const deleting = async () => client.deleteCheckpoint("tinker://R/weights/..");
    await expect(deleting()).rejects.toMatchObject({ code: "tinker-invalid-input" });
    expect(http.requests.length).toBe(before);
  });
});
