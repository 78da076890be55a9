import { expect, it } from "vitest";
import { writeExactJson } from "../../../src/core/util/exactJson.ts";
import { answerMcp } from "../../../src/trainer/agents/sessionMcp.ts";

/** The answer to a message, and the arguments that reach the environment; `text` is raw JSON. */
async function sent(args: string, id = "1") {
  const got: string[] = [];
  const tools = {
    all: [],
    call: async (name: string, own: Parameters<typeof writeExactJson>[0]) => {
      got.push(`${name} ${writeExactJson(own)}`);
      return { parts: ["ok"], isError: false };
    },
  };
  const params = `{"name":"answer","arguments":${args}}`;
  const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
  const request = {
    params: {},
    query: new URLSearchParams(),
    header: () => "",
    body: new TextEncoder().encode(body),
    signal: new AbortController().signal,
  };
  const reply = await answerMcp(tools, request, "1.0.0");
  if (!("body" in reply)) throw new Error("The answer has no body.");
  expect(reply.status).toBe(200);
  return { got, answer: JSON.parse(new TextDecoder().decode(reply.body)) };
}

it("numbers in arguments reach the environment exactly as written", async () => {
  const exact = '{"value":12345678901234567891,"half":12.0,"deep":[{"at":1e400}],"text":"1.0"}';
  expect((await sent(exact)).got).toEqual([`answer ${exact}`]);
  expect((await sent("{}", '"a"')).got).toEqual(["answer {}"]);
  expect((await sent("null")).got).toEqual(["answer {}"]);
});

it.each([String.raw`"{\"value\":1}"`, "[1]"])(
  "arguments %s are rejected, with a hint",
  async (args) => {
    const { got, answer } = await sent(args);
    const message = expect.stringContaining("params.arguments is not an object. Parse");
    expect(answer.error).toMatchObject({ code: -32602, message });
    expect(got).toEqual([]);
  },
);
