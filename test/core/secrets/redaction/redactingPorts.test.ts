import { describe, expect, it } from "vitest";
import type { Log } from "../../../../src/core/ports.ts";
import {
  redactingLog,
  redactingRefusals,
} from "../../../../src/core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { FakeHttp } from "../../../fakes/fakeHttp.ts";

const KEY = "tml-0123456789abcdef";
const redactor = new Redactor();
redactor.learn(KEY);

describe("a service that echoes the key when it refuses", () => {
  const send = (status: number, text: string) =>
    redactingRefusals(new FakeHttp(() => ({ status, text })), redactor).send({
      method: "GET",
      url: "https://a.example",
    });

  it.each([401, 500])("is reported without it, even truncated: %i", async (status) => {
    const words = KEY.repeat(50);
    expect(await (await send(status, words)).text()).not.toContain(KEY.slice(0, 6));
    const bytes = await (await send(status, btoa(KEY))).bytes();
    expect(new TextDecoder().decode(bytes)).not.toContain(btoa(KEY).slice(4, 10));
  });

  it("is passed on unchanged when it answers", async () => {
    expect(await (await send(200, KEY)).text()).toBe(KEY);
  });
});

describe("a log", () => {
  it("receives no messages, data, or errors with a secret in them", () => {
    const lines: unknown[] = [];
    const keep: Log["debug"] = (message, data) => void lines.push([message, data]);
    const log = redactingLog({ debug: keep, info: keep, warn: keep, error: keep }, redactor);
    log.debug(`key ${KEY}`);
    log.info("data", { [KEY]: 1, list: [{ text: `key ${KEY}` }] });
    log.error("fault", { error: new Error(`key ${KEY}`, { cause: new Error(KEY) }) });
    expect(lines.slice(0, 2)).toEqual([
      ["key ***", undefined],
      ["data", { "***": 1, list: [{ text: "key ***" }] }],
    ]);
    expect(lines[2]).toMatchObject([
      "fault",
      { error: { message: "key ***", cause: { message: "***" } } },
    ]);
  });
});
