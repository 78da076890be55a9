import { describe, expect, it } from "vitest";
import { CATALOGUE_REQUESTS, type CatalogueAccess } from "../../../src/api/catalogue.ts";
import { createEnvironmentLists } from "../../../src/host/catalogue/environmentLists.ts";
import { anEnvironment } from "../../server/catalogue/aList.ts";

const ACCESS: CatalogueAccess = { keys: {}, variables: {} };

function lists(access: CatalogueAccess | null = ACCESS) {
  const state = {
    nowMs: 0,
    asked: [] as string[],
    names: ["Owner/Game"],
    outcome: { ok: true, value: null } as object,
    errors: [] as unknown[],
  };
  const environments = createEnvironmentLists({
    server: {
      request: async (method: string) => {
        state.asked.push(method);
        const items = state.names.map((name) => anEnvironment(name));
        const listing = { items, ageMs: 1_000, isComplete: true, server: null };
        return (method === CATALOGUE_REQUESTS.environments ? listing : state.outcome) as never; // the server's answer
      },
    },
    variables: () => ({}),
    access: async () => access,
    now: () => state.nowMs,
    onError: (error) => state.errors.push(error),
  });
  const names = () =>
    environments.current().hosted.environments?.items.map(({ name }) => name) ?? null;
  return { environments, state, names };
}

describe("the environments of a window", () => {
  it("are read from the server on first use, and become stale", async () => {
    const { environments, state, names } = lists();
    environments.reload();
    expect(state.asked).toEqual([]);
    expect(names()).toBeNull();
    await environments.ready();
    expect(names()).toEqual(["Owner/Game"]);
    state.nowMs = 500;
    expect(environments.current().hosted.environments?.ageMs).toBe(1_500);
    expect(state.asked).toEqual([CATALOGUE_REQUESTS.environments]);
  });

  it("have task difficulties as hints, which may be missing", async () => {
    const { environments, state } = lists();
    const known = [{ index: 3, meanReward: 0.5, minReward: 0, maxReward: 1, rollouts: 8 }];
    state.outcome = { ok: true, value: known };
    expect(await environments.difficulty("Owner/Game", "train")).toEqual(known);
    state.outcome = { ok: false, error: { code: "timeout", message: "" } };
    expect(await environments.difficulty("Owner/Game", "train")).toEqual([]);
    const restricted = lists(null);
    expect(await restricted.environments.difficulty("Owner/Game", "train")).toEqual([]);
    expect(restricted.state.asked).toEqual([]);
  });

  it("are the local ones before that", () => {
    const { local } = lists().environments.current();
    expect(local.environments?.items.map(({ name }) => name)).toContain("local/calculator");
  });

  it("are up to date after a question was answered", async () => {
    const { environments, state, names } = lists();
    await environments.ready();
    state.names = ["Owner/Game", "Owner/Other"];
    await environments.refresh(null);
    expect(names()).toEqual(["Owner/Game", "Owner/Other"]);
  });

  it("fail with the server's error code", async () => {
    const { environments, state } = lists();
    state.outcome = { ok: false, error: { code: "key-missing", message: "no key" } };
    await expect(environments.refresh("Owner/Game")).rejects.toMatchObject({
      code: "key-missing",
      message: "no key",
    });
  });

  it("are not requested in Restricted Mode", async () => {
    const { environments, state } = lists(null);
    await environments.refresh(null);
    await environments.refresh("Owner/Game");
    expect(state.asked).toEqual([]);
  });
});
