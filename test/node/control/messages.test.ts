import { describe, expect, it } from "vitest";
import {
  controlAnswerSchema,
  controlRequestSchema,
  launchRequestSchema,
} from "../../../src/node/control/messages.ts";
import { INITIAL_STATUS } from "../../../src/trainer/control/runStatus.ts";

const line = { version: 1, id: 3, token: "t" };

describe("a request", () => {
  it.each(["status", "attach", "pause", "continue", "save", "stop", "stop-now"])(
    "can be %s",
    (action) => {
      expect(controlRequestSchema.parse({ ...line, action })).toEqual({ ...line, action });
    },
  );

  it("can contain new settings", () => {
    const request = { ...line, action: "change-settings", settings: ["learning_rate=1e-4"] };
    expect(controlRequestSchema.parse(request)).toEqual(request);
  });

  it.each([
    ["of another version", { ...line, action: "stop", version: 2 }],
    ["without a token", { version: 1, id: 3, action: "stop" }],
    ["without a number", { version: 1, token: "t", action: "stop" }],
    ["for something unknown", { ...line, action: "delete" }],
    ["for other settings without any", { ...line, action: "change-settings", settings: [] }],
    ["with settings that are no texts", { ...line, action: "change-settings", settings: [1] }],
    [
      "with more settings than there are keys",
      { ...line, action: "change-settings", settings: many() },
    ],
    ["that is a list", [line]],
    ["that is null", null],
  ])("%s is invalid", (_, value) => {
    expect(controlRequestSchema.safeParse(value).success).toBe(false);
  });
});

function many(): readonly string[] {
  return Array.from({ length: 201 }, () => "seed=1");
}

describe("an answer", () => {
  it.each([
    { id: 1, ok: true, message: "", status: INITIAL_STATUS },
    { id: 1, ok: false, code: "run-ended", message: "Over." },
    { notice: "status", status: INITIAL_STATUS },
  ])("%j is parsed as it was sent", (answer) => {
    expect(controlAnswerSchema.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  });

  it("with an unknown phase is invalid", () => {
    const status = { ...INITIAL_STATUS, phase: "dreaming" };
    expect(controlAnswerSchema.safeParse({ notice: "status", status }).success).toBe(false);
  });
});

describe("an editor's launch request", () => {
  const order = {
    version: 1,
    training: { configPath: "/a.yaml", resume: null, overrides: ["seed=1"], digest: "0a" },
    keys: { TINKER_API_KEY: { value: "tml-1", origin: "store", host: null } },
    allowedOrigins: [{ origin: "https://one.example", key: "TINKER_API_KEY" }],
    variables: {},
    envFile: null,
    onQuit: "stop and save",
  };

  it("names the allowed host for each key", () => {
    expect(launchRequestSchema.parse(order)).toEqual(order);
    const keys = { TINKER_API_KEY: { value: "tml-1" } };
    expect(launchRequestSchema.safeParse({ ...order, keys }).success).toBe(false);
  });

  it("names its run in a sweep", () => {
    const sweep = {
      id: "s",
      name: "demo-sweep",
      combination: 1,
      combinations: 2,
      settings: ["seed=2"],
    };
    const member = { ...order, training: { ...order.training, sweep } };
    expect(launchRequestSchema.parse(member)).toEqual(member);
    const training = { ...order.training, sweep: { ...sweep, name: "../demo" } };
    expect(launchRequestSchema.safeParse({ ...order, training }).success).toBe(false);
  });

  it("says what to do when the editor quits", () => {
    expect(launchRequestSchema.safeParse({ ...order, onQuit: "shrug" }).success).toBe(false);
  });
});
