import { describe, expect, it, vi } from "vitest";
import {
  CATALOGUE_ACCESS,
  CATALOGUE_CHANGED,
  CATALOGUE_REQUESTS,
  type CatalogueAccess,
} from "../../src/api/catalogue.ts";
import { AppError } from "../../src/core/errors.ts";
import type { TrainerFunctions } from "../../src/server/openRequests.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";
import { aList, anEnvironment, CATALOGUE } from "./catalogue/aList.ts";

const ACCESS: CatalogueAccess = {
  keys: { OPENREWARD_API_KEY: { value: "or-secret", origin: "store", host: null } },
  variables: {},
};
const { environments, refresh } = CATALOGUE_REQUESTS;
const storageFolder = folderOfEachTest();

async function aWindow(functions: Partial<TrainerFunctions>, access: CatalogueAccess | null) {
  const made = anEditor(functions);
  const { editor } = made;
  const seen = { changes: 0, access: [] as unknown[] };
  editor.onNotification(CATALOGUE_CHANGED, () => {
    seen.changes += 1;
  });
  editor.onRequest(CATALOGUE_ACCESS, (request: unknown) => {
    seen.access.push(request);
    return access;
  });
  await editor.sendRequest("initialize", {
    processId: null,
    rootUri: null,
    capabilities: {},
    initializationOptions: { tinkerRlVersion: "1.0.0", storageFolder },
  });
  return { ...made, seen };
}

describe("the environments known to a server", () => {
  it("are requested with the editor's keys, cached, and returned without the key", async () => {
    const given: unknown[] = [];
    const lookUpList = (async (_kind: string, { access }: { access: unknown }) => {
      given.push(access);
      return aList([anEnvironment("Owner/Game")], { server: CATALOGUE });
    }) as never; // a list of the kind that is asked for
    const first = await aWindow({ lookUpList }, null);
    expect(await first.ask(environments, { variables: {} })).toBeNull();
    const asked = await first.ask(refresh, { access: ACCESS, environment: null });
    expect(asked).toEqual({ ok: true, value: null });
    expect(given).toEqual([ACCESS]);
    const known = { items: [{ name: "Owner/Game" }], isComplete: true };
    expect(await first.ask(environments, { variables: {} })).toMatchObject(known);
    await vi.waitFor(() => expect(first.seen.changes).toBe(1));
    expect(first.received()).not.toContain("or-secret");

    const next = await aWindow({}, null);
    await vi.waitFor(async () =>
      expect(await next.ask(environments, { variables: {} })).toMatchObject(known),
    );
  });

  it("fail with the service's message, without the key", async () => {
    const lookUpEnvironment = async (): Promise<never> => {
      throw new AppError("environment-auth", "or-secret is unknown.");
    };
    const { ask } = await aWindow({ lookUpEnvironment }, null);
    expect(await ask(refresh, { access: ACCESS, environment: "Owner/Game" })).toMatchObject({
      ok: false,
      error: { code: "environment-auth", message: "*** is unknown." },
    });
  });
});
