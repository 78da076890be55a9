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
    return (answers.shift() ?? { ok: true, value: null }) as never; // what the server answers
  },
};

function options(isAllowed: boolean) {
  const origins: { origin: string; key: string }[] = [];
  return {
    server,
    keys: {
      // What is asked of them.
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
  it("at the service of its run takes the key of Tinker and nothing else", async () => {
    await changeWeights(AT_TINKER, WHAT, options(true));
    const launch = {
      keys: { TINKER_API_KEY: KEY },
      allowedOrigins: [],
      envFile: null,
      variables: { TINKER_BASE_URL: "https://gateway.example" },
    };
    expect(asked).toEqual([{ ...WHAT, service: { launch, baseUrl: "https://own.example" } }]);
  });

  it("of this computer takes no key", async () => {
    await changeWeights({ kind: "this computer" }, WHAT, options(true));
    expect(asked).toEqual([{ ...WHAT, service: null }]);
  });

  it("is asked for again once the user lets the key go there", async () => {
    answers.push(REFUSED);
    await changeWeights(AT_TINKER, WHAT, options(true));
    expect(asked).toMatchObject([
      { service: { launch: { allowedOrigins: [] } } },
      { service: { launch: { allowedOrigins: [{ origin: "https://own.example" }] } } },
    ]);
  });

  it("fails with what the server says when the user does not", async () => {
    answers.push(REFUSED);
    await expect(changeWeights(AT_TINKER, WHAT, options(false))).rejects.toThrow("not there");
    expect(asked).toHaveLength(1);
  });
});
