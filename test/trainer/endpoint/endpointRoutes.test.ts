import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { createHttpServer } from "../../../src/local/http/httpServer.ts";
import { listen } from "../../../src/local/http/listen.ts";
import { refusal } from "../../../src/local/http/refusal.ts";
import { systemRandom } from "../../../src/node/random.ts";
import { endpointErrorBody, endpointRoutes } from "../../../src/trainer/endpoint/endpointRoutes.ts";
import { aPolicy } from "../../core/endpoint/aPolicy.ts";
import { ended, type TurnScript } from "../../core/rollout/scriptedModel.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** One policy per caller, by a name in the path. */
async function start(turns: Readonly<Record<string, readonly TurnScript[]>>) {
  const callers = new Map(Object.entries(turns).map(([name, own]) => [name, aPolicy(own)]));
  const redactor = new Redactor();
  redactor.learn("tml-secret-key");
  const stopping = new AbortController();
  const server = createHttpServer({
    routes: endpointRoutes({
      prefix: "/r/{caller}/v1",
      policyOf: ({ params }) => {
        const { policy } = callers.get(params["caller"] ?? "") ?? {};
        if (policy === undefined) throw refusal(404, "There is no such caller.");
        return { policy, name: "demo", needsLogprobs: true };
      },
      clock: new FakeClock(),
      random: systemRandom,
      clean: (error) => redactor.redactError(error),
      signal: stopping.signal,
    }),
    key: null,
    log: silentLog,
    errorBody: endpointErrorBody,
  });
  closing.push(() => server.close());
  const address = await listen(server, { kind: "port", port: 0 });
  const post = async (path: string, body: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${address}${path}`, { method: "POST", body: text });
    return { status: response.status, text: await response.text() };
  };
  const get = async (path: string) => {
    const response = await fetch(`${address}${path}`);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { callers, post, get };
}

const messages = [{ role: "user", content: "Hi" }];

describe("the paths of an endpoint", () => {
  it("keep the conversations of callers separate", async () => {
    const { callers, post } = await start({ a: [ended("One")], b: [ended("Two")] });
    for (const name of ["a", "b"]) await post(`/r/${name}/v1/chat/completions`, { messages });
    const counts = [...callers.values()].map(({ threads }) => threads.turnCount);
    expect(counts).toEqual([1, 1]);
    expect((await post("/r/c/v1/chat/completions", { messages })).status).toBe(404);
  });

  it.each([
    ["/r/a/v1/chat/completions", { messages }],
    ["/r/a/v1/responses", { input: "Hi" }],
    ["/r/a/v1/messages", { messages, max_tokens: 9 }],
  ])("answer %s whole and as a stream", async (path, body) => {
    const { post } = await start({ a: [ended("Hello")] });
    const whole = await post(path, body);
    expect([whole.status, whole.text.includes('"Hello"')]).toEqual([200, true]);
    const { status, text } = await post(path, { ...body, stream: true });
    const parts = text.trim().split("\n\n");
    expect(status).toBe(200);
    const data = parts.map((part) => /^(?:event: \S+\n)?data: (.*)$/.exec(part)?.[1] ?? "");
    expect(data.filter((each) => each.includes('"Hello"')).length).toBeGreaterThan(0);
    for (const each of data) if (each !== "[DONE]") JSON.parse(each);
  });

  it.each(["", "/demo", "/local%2Ftiny-tool", "/local/tiny-tool"])(
    "return the model at /models%s",
    async (name) => {
      const { get } = await start({ a: [] });
      const { status, body } = await get(`/r/a/v1/models${name}`);
      expect(status).toBe(200);
      expect(name === "" ? body.data : [body]).toMatchObject([{ id: "demo", object: "model" }]);
    },
  );

  it("are listed in the error for an unknown path", async () => {
    const { post } = await start({ a: [ended("Hello")] });
    const { status, text } = await post("/r/a/chat/completions", { messages });
    expect(status).toBe(404);
    const { message } = JSON.parse(text).error;
    expect(message).toContain("There is nothing at /r/a/chat/completions.");
    expect(message).toContain("/v1/chat/completions, /v1/responses, /v1/messages");
    const twice = await post("/r/a/v1/v1/chat/completions", { messages });
    expect(JSON.parse(twice.text).error.message).toBe(
      "There is nothing at /r/a/v1/v1/chat/completions. The base address already ends in /v1.",
    );
  });

  it("report a service error without secrets, also in a stream", async () => {
    const fault = new AppError("tinker-unavailable", "No answer for the key tml-secret-key.");
    const { post } = await start({ a: [fault] });
    const openai = await post("/r/a/v1/chat/completions", { messages, stream: true });
    const anthropic = await post("/r/a/v1/messages", { messages });
    expect([openai.status, anthropic.status]).toEqual([502, 502]);
    expect(JSON.parse(openai.text).error).toMatchObject({
      type: "server_error",
      code: "tinker-unavailable",
      message: expect.stringContaining("No answer for the key"),
    });
    expect(JSON.parse(anthropic.text).error.type).toBe("api_error");
    expect(openai.text + anthropic.text).not.toContain("tml-secret-key");
  });

  it("report an unpaid bill at the service with a status that clients do not retry", async () => {
    const { post } = await start({ a: [new AppError("tinker-billing", "Out of credit.")] });
    const openai = await post("/r/a/v1/chat/completions", { messages });
    const anthropic = await post("/r/a/v1/messages", { messages });
    expect([openai.status, anthropic.status]).toEqual([402, 402]);
    expect(JSON.parse(openai.text).error).toMatchObject({ code: "tinker-billing" });
    expect(JSON.parse(anthropic.text).error.type).toBe("billing_error");
  });

  it.each([
    ["{", "is not JSON that can be read"],
    [`${"[".repeat(300)}${"]".repeat(300)}`, "is nested too deep or has too many entries"],
    ["[]", "body: expected an object, got []"],
  ])("reject an invalid body: %s", async (body, message) => {
    const { post } = await start({ a: [ended("Hello")] });
    const { status, text } = await post("/r/a/v1/chat/completions", body);
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toContain(message);
  });
});
