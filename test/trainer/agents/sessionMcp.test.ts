import { expect, it } from "vitest";
import { writeExactJson } from "../../../src/core/util/exactJson.ts";
import { answerMcp } from "../../../src/trainer/agents/sessionMcp.ts";

/** What the environment gets of the arguments in a message, which are written as they stand. */
async function sent(args: string, id = "1"): Promise<readonly string[]> {
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
  expect(await answerMcp(tools, request, "1.0.0")).toMatchObject({ status: 200 });
  return got;
}

it("arguments reach the environment with their numbers as they were written", async () => {
  const exact = '{"value":12345678901234567891,"half":12.0,"deep":[{"at":1e400}],"text":"1.0"}';
  expect(await sent(exact)).toEqual([`answer ${exact}`]);
  expect(await sent("{}", '"a"')).toEqual(["answer {}"]);
});
