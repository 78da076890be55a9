import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestOutcome } from "../../../src/api/requests.ts";
import type { CheckpointPlace } from "../../../src/host/commands/changeCheckpoint.ts";
import { changeWeights } from "../../../src/host/commands/checkpointRequests.ts";
import type { Server } from "../../../src/host/server/server.ts";
import type { RequestedKey } from "../../../src/shared/control.ts";

const KEY: RequestedKey = { value: "tml-a", origin: "store", host: null };
const AT_TINKER: CheckpointPlace = {
  kind: "Tinker",
  baseUrl: "https://own.example",
  project: "/project",
};
const WHAT = { paths: ["tinker://s:train:0/weights/f"], change: { action: "publish" } } as const;
const REFUSED: RequestOutcome<null> = {
  ok: false,
  error: { code: "key-host-not-allowed", message: "not there", key: "TINKER_API_KEY" },
};

const asked: unknown[] = [];
const answers: RequestOutcome<null>[] = [];
const server: Pick<Server, "request"> = {
  request: async (_method, parameters) => {
    asked.push(parameters);
    return (answers.shift() ?? { ok: true, value: null }) as never; // the server's answer
  },
};

function options(isAllowed: boolean) {
  const origins: { origin: string; key: string }[] = [];
  return {
    server,
    keys: {
      // Only the members that the requests use.
      sources: { valueFor: async () => KEY } as never,
      variables: () => ({ TINKER_BASE_URL: "https://gateway.example", UNRELATED: "1" }),
      recoverFromLaunchError: vi.fn(async () => {
        if (isAllowed) origins.push({ origin: "https://own.example", key: "TINKER_API_KEY" });
        return isAllowed;
      }),
      approvals: { allowedOrigins: () => [...origins] },
    },
  };
}

beforeEach(() => {
  asked.length = 0;
  answers.length = 0;
});

describe("a change of weights", () => {
  it("at its run's service sends only the Tinker key", async () => {
    await changeWeights(AT_TINKER, WHAT, options(true));
    const launch = {
      keys: { TINKER_API_KEY: KEY },
      allowedOrigins: [],
      envFile: null,
      variables: { TINKER_BASE_URL: "https://gateway.example" },
    };
    expect(asked).toEqual([{ ...WHAT, service: { launch, baseUrl: "https://own.example" } }]);
  });

  it("on this computer sends no key", async () => {
    await changeWeights({ kind: "this computer" }, WHAT, options(true));
    expect(asked).toEqual([{ ...WHAT, service: null }]);
  });

  it("is requested again once the user allows the key for that host", async () => {
    answers.push(REFUSED);
    await changeWeights(AT_TINKER, WHAT, options(true));
    expect(asked).toMatchObject([
      { service: { launch: { allowedOrigins: [] } } },
      { service: { launch: { allowedOrigins: [{ origin: "https://own.example" }] } } },
    ]);
  });

  it("fails with the server's message if the user does not", async () => {
    answers.push(REFUSED);
    await expect(changeWeights(AT_TINKER, WHAT, options(false))).rejects.toThrow("not there");
    expect(asked).toHaveLength(1);
  });
});
