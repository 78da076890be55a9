import { expect, it } from "vitest";
import type { HttpClient, HttpRequest } from "../../../src/core/ports.ts";
import { withHeaders } from "../../../src/trainer/services/withHeaders.ts";

it("a service's headers are sent to its origin only, and do not replace existing ones", async () => {
  const sent: HttpRequest[] = [];
  const http: HttpClient = {
    send: async (request) => {
      sent.push(request);
      throw new Error("not sent");
    },
  };
  const client = withHeaders(http, "https://one.example/models", {
    "x-proxy": "p",
    accept: "none",
  });
  const headers = { accept: "text/event-stream" };
  for (const url of [
    "https://one.example/a",
    "https://one.example:444/a",
    "http://one.example/a",
  ]) {
    await client.send({ method: "GET", url, headers }).catch(() => undefined);
  }
  expect(sent.map((request) => request.headers)).toEqual([
    { "x-proxy": "p", accept: "text/event-stream" },
    headers,
    headers,
  ]);
});
