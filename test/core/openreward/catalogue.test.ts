import { describe, expect, it } from "vitest";
import {
  deploymentLog,
  listEnvironments,
  requiredSecrets,
  taskDifficulty,
} from "../../../src/core/openreward/catalogue.ts";
import type { HttpRequest } from "../../../src/core/ports.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";

function record(index: number, rest: object = {}) {
  return { owner: "Owner", name: `env-${index}`, description: `number ${index}`, ...rest };
}

function connection(answer: (request: HttpRequest) => FakeReply, apiKey: string | null = null) {
  const http = new FakeHttp(answer);
  return { http, apiUrl: "https://api.example/", apiKey, userAgent: "test" };
}

/** A catalogue with this many names. */
function catalogueOf(count: number) {
  return connection(({ url }) => {
    const offset = Number(new URL(url).searchParams.get("offset"));
    const size = Math.max(0, Math.min(100, count - offset));
    const environments = Array.from({ length: size }, (_, index) => record(offset + index));
    return { json: { environments, total: count } };
  });
}

describe("the catalogue of hosted environments", () => {
  it("is read page by page to its end", async () => {
    const catalogue = catalogueOf(250);
    const { items, isComplete } = await listEnvironments(catalogue, 10);
    expect(items).toHaveLength(250);
    expect(items[249]).toEqual({ name: "Owner/env-249", description: "number 249" });
    expect(isComplete).toBe(true);
  });

  it("is incomplete when there are more entries than the page limit allows", async () => {
    const catalogue = catalogueOf(1000);
    const { items, isComplete } = await listEnvironments(catalogue, 3);
    expect(items).toHaveLength(300);
    expect(isComplete).toBe(false);
    expect(catalogue.http.requests).toHaveLength(3);
  });

  it("skips names without an environment, and reports it", async () => {
    const environments = [
      record(1),
      record(2, { has_github_connection: false }),
      record(3, { has_github_connection: true, description: null }),
    ];
    const catalogue = connection(() => ({ json: { environments } }));
    const { items, isComplete } = await listEnvironments(catalogue, 3);
    expect(items.map(({ name }) => name)).toEqual(["Owner/env-1", "Owner/env-3"]);
    expect(isComplete).toBe(false);
  });

  it("is requested without a key unless one is given", async () => {
    const open = catalogueOf(1);
    await listEnvironments(open, 1);
    expect(open.http.requests[0]?.headers).not.toHaveProperty("x-api-key");
    const own = connection(() => ({ json: { environments: [] } }), "secret");
    await listEnvironments(own, 1);
    expect(own.http.requests[0]?.headers).toMatchObject({ "x-api-key": "secret" });
  });

  it("reports which secrets an environment requires", async () => {
    const catalogue = connection(() => ({ json: { secrets: ["OPENAI_API_KEY"] } }));
    expect(await requiredSecrets(catalogue, "Owner/na me")).toEqual(["OPENAI_API_KEY"]);
    expect(catalogue.http.requests[0]?.url).toBe(
      "https://api.example/v1/environments/Owner/na%20me/required-secrets",
    );
  });

  it("reports task difficulty from the rollouts of others", async () => {
    const scored = {
      avg_reward: 0.5,
      min_reward: 0,
      max_reward: 1,
      num_rollouts: 8,
      split: "train",
    };
    const tasks = [
      { task_index: 7, avg_reward: 0.25 },
      { task_index: 2, ...scored, response_chars: {} },
      { task_index: 3, avg_reward: null },
    ];
    const catalogue = connection(() => ({ json: { tasks } }));
    const asked = { environment: "Owner/Game:hard one", split: "train" };
    expect(await taskDifficulty(catalogue, asked)).toEqual([
      { index: 2, meanReward: 0.5, minReward: 0, maxReward: 1, rollouts: 8 },
      { index: 7, meanReward: 0.25, minReward: null, maxReward: null, rollouts: null },
    ]);
    expect(catalogue.http.requests[0]?.url).toBe(
      "https://api.example/v1/environments/Owner/Game/task-difficulty?split=train&variant=hard+one",
    );
  });

  it("has the log of an environment's newest deployment", async () => {
    const newest = {
      id: 12,
      status: "ready",
      gitBranch: "main",
      commitSha: "abc",
      created_at: "now",
    };
    const answers: Readonly<Record<string, object>> = {
      "/v1/environments/Owner/Game": { id: "e/1", name: "Game" },
      "/v1/github/environments/e%2F1/deployments": [newest, { id: 11 }],
      "/v1/github/deployments/12/logs": { logs: "built", status: "ready" },
      "/v1/github/deployments/12/runtime-logs": {
        entries: [{ timestamp: "12:00", severity: "INFO", message: "served" }],
      },
    };
    const catalogue = connection(({ url }) => ({ json: answers[new URL(url).pathname] ?? {} }));
    expect(await deploymentLog(catalogue, "Owner/Game")).toEqual({
      id: "12",
      status: "ready",
      branch: "main",
      commit: "abc",
      createdAt: "now",
      build: "built",
      lines: ["12:00 INFO served"],
    });
  });

  it("has no log for an environment that was never deployed", async () => {
    const catalogue = connection(({ url }) => ({
      json: url.endsWith("/deployments") ? [] : { id: "e1" },
    }));
    expect(await deploymentLog(catalogue, "Owner/Game")).toBeNull();
  });

  it("shows logs only to the owner", async () => {
    const reading = deploymentLog(
      connection(() => ({ status: 403 })),
      "Owner/Game",
    );
    await expect(reading).rejects.toMatchObject({
      code: "environment-auth",
      message: "The log of Owner/Game cannot be read: access denied (403). Set the OpenReward key.",
    });
  });

  it("names what was not found under a name", async () => {
    const catalogue = connection(() => ({ status: 404 }));
    const code = "environment-not-found";
    await expect(deploymentLog(catalogue, "Owner/game")).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^The log of Owner\/game was not found .*case-sensitive/),
    });
    await expect(requiredSecrets(catalogue, "Owner/game")).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^The list of secrets of Owner\/game was/),
    });
  });

  it.each([
    ["a refusal", { status: 503, text: "busy" }, "environment-unavailable"],
    ["an account without credit", { status: 402, text: "" }, "environment-billing"],
    ["a page that is no list", { text: "<html>" }, "environment-protocol"],
  ])("fails plainly on %s", async (_, reply, code) => {
    const failing = listEnvironments(
      connection(() => reply),
      1,
    );
    await expect(failing).rejects.toMatchObject({ code });
  });
});
