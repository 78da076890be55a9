import { describe, expect, it } from "vitest";
import { httpFault, splitFault } from "../../../src/core/openreward/faults.ts";
import { harness } from "./harness.ts";
import { json } from "./scriptedServer.ts";

const location = {
  environment: "Owner/Game",
  sid: null,
  action: "POST /create_session",
  isInSession: false,
  isOpenReward: true,
};

describe("an account without credit", () => {
  const unpaid = { status: 402, body: '{"detail":"balance 0"}', retryAfterMs: null };

  it.each([true, false])("is reported as such, also in a session: %s", (isInSession) => {
    const fault = httpFault({ ...location, isInSession }, unpaid);
    expect(fault).toMatchObject({ code: "environment-billing", data: { status: 402 } });
    expect(fault.message).toContain(
      "no credit is left (402: balance 0). Add credit to your OpenReward account at https://openreward.ai/settings.",
    );
  });

  it("is not referred to OpenReward by another server", () => {
    const { message } = httpFault({ ...location, isOpenReward: false }, unpaid);
    expect(message).toMatch(/Add credit to the account that its key belongs to\.$/);
  });
});

describe("a refused key", () => {
  const refusal = (origin: "store" | "process" | "dotenv" | null) =>
    httpFault(location, {
      status: 401,
      body: "no",
      retryAfterMs: null,
      key: { name: "ORS_API_KEY", origin },
    });

  it.each([
    ["dotenv", "Check ORS_API_KEY (from .env) and that your account may use this environment."],
    ["store", "Check ORS_API_KEY (from the secret store) and that"],
    ["process", "Check ORS_API_KEY (from the process environment) and that"],
    [null, "Set ORS_API_KEY: no key was sent."],
  ] as const)("is named when it came from %s", (origin, step) => {
    expect(refusal(origin)).toMatchObject({ code: "environment-auth" });
    expect(refusal(origin).message).toContain(`access denied (401: no). ${step}`);
  });
});

describe("a split that is refused when its tasks are counted", () => {
  const refused = json(400, { detail: "Bad request" });
  const faultAfter = async (
    script: Parameters<typeof harness>[0],
    split = "train",
  ): Promise<unknown> => {
    const { environment: remote } = harness(script);
    const error = await remote.numTasks(split).catch((fault: unknown) => fault);
    return splitFault(error, { remote, split }, "evaluation.splits");
  };

  it("is reported as missing, with the server's splits", async () => {
    const splits = json(200, [{ name: "training", type: "train" }]);
    const script = { "POST /maze/num_tasks": [refused], "GET /maze/splits": [splits] };
    expect(await faultAfter(script)).toMatchObject({
      code: "no-such-split",
      message: "local/maze has no split train. It has training.",
      configPath: "evaluation.splits",
    });
  });

  it("keeps the message of a server that lists no splits", async () => {
    const script = { "POST /maze/num_tasks": [refused], "GET /maze/splits": [json(200, [])] };
    expect(await faultAfter(script)).toMatchObject({
      code: "no-such-split",
      message: expect.stringContaining("Bad request"),
    });
  });

  it("is not blamed when no session was opened", async () => {
    const fault = await faultAfter({ "POST /create_session": [refused] });
    expect(fault).toMatchObject({ code: "environment-protocol" });
  });
});

describe("a crash of the environment's own code", () => {
  const crash = { status: 500, body: '{"detail":"KeyError: 1."}', retryAfterMs: null };
  const inSession = { ...location, sid: "s", isInSession: true };

  it.each([
    ["servers/maze.log", "Its log is servers/maze.log in the run folder."],
    [null, "Check its logs."],
  ])("names the log of a server that the program started: %s", (log, where) => {
    expect(httpFault({ ...inSession, log }, crash).message).toMatch(
      new RegExp(`own code failed: KeyError: 1\\. ${where}$`),
    );
  });
});
