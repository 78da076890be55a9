import { afterEach, describe, expect, it, vi } from "vitest";
import { type CatalogueAccess, canLookUp } from "../../../src/api/catalogue.ts";
import type { HttpRequest } from "../../../src/core/ports.ts";
import type { LookUpOptions } from "../../../src/server/catalogue/connection.ts";
import { lookUpList } from "../../../src/server/catalogue/lookUps.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { CATALOGUE, TINKER } from "./aList.ts";

interface Given {
  readonly keys?: CatalogueAccess["keys"];
  readonly variables?: CatalogueAccess["variables"];
  readonly answer?: (request: HttpRequest) => FakeReply;
}

const OWN_KEY = { TINKER_API_KEY: { value: "tml-own", origin: "store", host: null } } as const;

function lookUps({ keys = {}, variables = {}, answer = () => "lost" }: Given = {}) {
  const http = new FakeHttp(answer);
  let closed = 0;
  const client = {
    send: (request: HttpRequest) => http.send(request),
    close: async () => {
      closed += 1;
    },
  };
  const options: LookUpOptions = {
    access: { keys, variables },
    openHttp: async () => client,
    log: silentLog,
  };
  return { lookUp: options, http, closed: () => closed };
}

/** Answers of a Tinker server by the end of their path. */
function tinker(answers: Readonly<Record<string, unknown>>) {
  return ({ url }: HttpRequest): FakeReply => {
    const path = new URL(url).pathname;
    const found = Object.entries(answers).find(([end]) => path.endsWith(end));
    if (found !== undefined) return { json: found[1] };
    return path.endsWith("client/config") ? { json: {} } : { status: 404, json: {} };
  };
}

afterEach(() => vi.useRealTimers());

describe("models", () => {
  const answers = tinker({
    get_server_capabilities: {
      supported_models: [
        { model_name: "Qwen/Qwen3-8B", max_context_length: 32768, trainable: true },
        { model_name: "only/sampled", trainable: false },
      ],
    },
  });

  it("are those that the service trains, requested with the key at its own host", async () => {
    const { lookUp, http, closed } = lookUps({ keys: OWN_KEY, answer: answers });
    const list = await lookUpList("models", lookUp);
    expect(list).toMatchObject({
      items: [{ name: "Qwen/Qwen3-8B", contextTokens: 32768, maxRank: null }],
      isComplete: true,
      server: TINKER,
    });
    expect(http.requests.every(({ url }) => url.startsWith(TINKER))).toBe(true);
    expect(closed()).toBe(1);
  });

  it("are not requested without a key", async () => {
    const { lookUp, http } = lookUps({ answer: answers });
    expect(canLookUp("models", lookUp.access)).toBe(false);
    await expect(lookUpList("models", lookUp)).rejects.toMatchObject({ code: "key-missing" });
    expect(http.requests).toEqual([]);
  });

  it("are not requested with a key that is bound to another host", async () => {
    const variables = { TINKER_BASE_URL: "https://stranger.example" };
    const { lookUp, http } = lookUps({ keys: OWN_KEY, variables, answer: answers });
    expect(canLookUp("models", lookUp.access)).toBe(false);
    await expect(lookUpList("models", lookUp)).rejects.toMatchObject({ code: "key-missing" });
    expect(http.requests).toEqual([]);
  });

  it("are never requested unencrypted", async () => {
    const variables = { TINKER_BASE_URL: "http://service.example" };
    const keys = {
      TINKER_API_KEY: { value: "tml-own", origin: "store", host: "service.example" },
    } as const;
    const { lookUp, http } = lookUps({ keys, variables, answer: answers });
    await expect(lookUpList("models", lookUp)).rejects.toMatchObject({ code: "key-missing" });
    expect(http.requests).toEqual([]);
  });

  it("are aborted after ten seconds, with all pending requests", async () => {
    vi.useFakeTimers();
    const { lookUp, closed } = lookUps({ keys: OWN_KEY, answer: () => "hang" });
    const asked = lookUpList("models", lookUp);
    const failure = expect(asked).rejects.toThrow("did not answer within 10 seconds");
    await vi.advanceTimersByTimeAsync(10_000);
    await failure;
    expect(closed()).toBe(1);
  });
});

describe("checkpoints", () => {
  it("are states to train from, with what their run records", async () => {
    const answer = tinker({
      checkpoints: {
        checkpoints: [
          {
            tinker_path: "tinker://s:train:0/weights/checkpoint_000050",
            checkpoint_type: "training",
            time: "2026-11-01T10:00:00Z",
            size_bytes: 1000,
            user_metadata: { step: "50" },
          },
          {
            tinker_path: "tinker://s:train:0/sampler_weights/checkpoint_000050",
            checkpoint_type: "sampler",
          },
        ],
      },
      training_runs: {
        training_runs: [
          {
            training_run_id: "s:train:0",
            base_model: "Qwen/Qwen3-8B",
            lora_rank: 32,
            user_metadata: { run: "demo" },
          },
        ],
      },
    });
    const { lookUp } = lookUps({ keys: OWN_KEY, answer });
    const { items, isComplete } = await lookUpList("checkpoints", lookUp);
    expect(items).toEqual([
      {
        kind: null,
        isGone: false,
        path: "tinker://s:train:0/weights/checkpoint_000050",
        model: "Qwen/Qwen3-8B",
        rank: 32,
        run: "demo",
        step: 49,
        sizeBytes: 1000,
        savedAtMs: Date.parse("2026-11-01T10:00:00Z"),
        expiresAtMs: null,
      },
    ]);
    expect(isComplete).toBe(true);
  });
});

describe("environments", () => {
  const answer = () => ({
    json: { environments: [{ owner: "Owner", name: "Game", description: "A game." }], total: 1 },
  });

  it("are requested without a key if there is none, and have a page", async () => {
    const { lookUp, http } = lookUps({ answer });
    expect(canLookUp("environments", lookUp.access)).toBe(true);
    const { items, server } = await lookUpList("environments", lookUp);
    expect(items).toMatchObject([
      { name: "Owner/Game", page: "https://openreward.ai/Owner/Game", splits: null, tools: null },
    ]);
    expect(server).toBe(CATALOGUE);
    expect(http.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("elsewhere are requested without OpenReward's key", async () => {
    const keys = { OPENREWARD_API_KEY: { value: "own", origin: "store", host: null } } as const;
    const variables = { OPENREWARD_BASE_URL: "https://copy.example" };
    const { lookUp, http } = lookUps({ keys, variables, answer });
    await lookUpList("environments", lookUp);
    expect(http.requests[0]?.url).toMatch("https://api.copy.example/v1/environments");
    expect(http.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("of a server without a catalogue are not requested", async () => {
    const variables = { OPENREWARD_ENVIRONMENTS_URL: "https://ors.example" };
    const { lookUp } = lookUps({ variables, answer });
    expect(canLookUp("environments", lookUp.access)).toBe(false);
  });
});
