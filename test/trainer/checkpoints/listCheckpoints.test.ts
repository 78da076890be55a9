import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/node/clock.ts";
import {
  describeCheckpoint,
  listCheckpoints,
} from "../../../src/trainer/checkpoints/listCheckpoints.ts";
import { filesOnDisk } from "../../fakes/onDisk.ts";
import {
  ADAPTER,
  type ExportingService,
  startExportingService,
} from "../../local/engine/service/exportingService.ts";
import { type AStore, aStore, PATH } from "./aStore.ts";

const API_KEY = "tml-list-test-key";
const fileSystem = filesOnDisk();
let here: AStore;
let there: AStore;
let service: ExportingService;

beforeEach(async () => {
  here = await aStore();
  there = await aStore();
  service = await startExportingService({ folder: there.folder, clock: systemClock, key: API_KEY });
  vi.stubEnv("TINKER_RL_STORE", here.folder);
  vi.stubEnv("TINKER_BASE_URL", service.address);
  vi.stubEnv("TINKER_API_KEY", API_KEY);
  await save("weights", "a");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

const places = (isLocalOnly = false) => ({
  isLocalOnly,
  allowedOrigins: [],
  folder: here.folder,
});

async function save(kind: "weights" | "external_weights", name: string): Promise<string> {
  const body = { model_id: service.modelId, path: name, seq_id: 1, ttl_seconds: 7200 };
  const saved = await service.client.submit(
    `/save_${kind.split("_").toReversed().join("_")}`,
    body,
  );
  return String(saved["path"]);
}

const remotePath = (): string => `tinker://${service.modelId}/weights/a`;

describe("the list of checkpoints", () => {
  it("includes local checkpoints and those of the account", async () => {
    const all = await listCheckpoints(fileSystem, places());
    expect(all.map(({ path, place }) => [path, place])).toEqual([
      [PATH, "this computer"],
      [remotePath(), "Tinker"],
      [PATH, "Tinker"],
    ]);
    expect(all[0]).toMatchObject({ sizeBytes: ADAPTER.length, isPublic: false, expiresAt: null });
    const hours = (Date.parse(all[1]?.expiresAt ?? "") - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(2, 1);
  });

  it("sends no request when not asked to, or not able to", async () => {
    expect(await listCheckpoints(fileSystem, places(true))).toHaveLength(1);
    vi.stubEnv("TINKER_API_KEY", "");
    expect(await listCheckpoints(fileSystem, places())).toHaveLength(1);
  });
});

describe("one checkpoint", () => {
  it("on this computer is described without the service", async () => {
    vi.stubEnv("TINKER_BASE_URL", "http://127.0.0.1:1");
    expect(await describeCheckpoint(fileSystem, { ...places(), path: PATH })).toMatchObject({
      place: "this computer",
      path: PATH,
      baseModel: "local/tiny-tool",
      loraRank: 8,
      consoleUrl: null,
    });
  });

  it("of the account has its facts, and a web page only at the hosted service", async () => {
    expect(await describeCheckpoint(fileSystem, { ...places(), path: remotePath() })).toMatchObject(
      {
        place: "Tinker",
        path: remotePath(),
        baseModel: "local/fake",
        loraRank: 8,
        consoleUrl: null,
      },
    );
  });

  it("is reported missing if it does not exist", async () => {
    const path = `tinker://${service.modelId}/weights/b`;
    const describing = (isLocalOnly: boolean) =>
      describeCheckpoint(fileSystem, { ...places(isLocalOnly), path });
    await expect(describing(false)).rejects.toMatchObject({ code: "no-such-checkpoint" });
    await expect(describing(true)).rejects.toThrow("Omit --local to look it up at Tinker.");
  });
});
