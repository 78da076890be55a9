/** The services that prompt for keys, store and test them, with a scripted user. */

import type { KeyTestRequest, KeyTestResult } from "../../../src/api/keys.ts";
import type { RequestOutcome } from "../../../src/api/requests.ts";
import { createApprovals } from "../../../src/host/keys/approvals.ts";
import { createEnvPermission } from "../../../src/host/keys/envPermission.ts";
import { keySources } from "../../../src/host/keys/keySources.ts";
import { testKey } from "../../../src/trainer/services/testKey.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";
import { FakeMemory } from "../fakeMemory.ts";
import { type Answer, FakeUi } from "./fakeUi.ts";
import { FakeVault, openStore } from "./fakeVault.ts";

interface KeysAround {
  readonly environment?: () => NodeJS.ProcessEnv;
  readonly envValues?: () => Promise<Readonly<Record<string, string>>>;
  readonly reply?: FakeReply;
}

/** `reply` is the services' response to key tests. */
export function keyParts(
  answers: readonly Answer[],
  { environment = () => ({}), envValues = async () => ({}), reply }: KeysAround = {},
) {
  const ui = new FakeUi(...answers);
  const memory = new FakeMemory();
  const { store } = openStore(new FakeVault());
  return {
    ui,
    memory,
    store,
    envPermission: createEnvPermission({ memory, ui }),
    approvals: createApprovals({ memory, ui }),
    sources: keySources({ store, environment, envValues }),
    variables: () => ({}),
    ...fakeKeyTest(reply),
  };
}

/** Key tests like the server's, against services that all respond the same way. */
export function fakeKeyTest(reply: FakeReply = {}) {
  const http = Object.assign(new FakeHttp(() => reply), { close: async () => undefined });
  return {
    http,
    testKey: async (request: KeyTestRequest): Promise<RequestOutcome<KeyTestResult>> => ({
      ok: true,
      value: await testKey(request, { openHttp: () => http }),
    }),
  };
}
