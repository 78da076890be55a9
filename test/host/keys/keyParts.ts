/** All that asks for keys, keeps and tests them, for a user who answers from a script. */

import type { KeyTestRequest, KeyTestResult } from "../../../src/api/keys.ts";
import type { RequestOutcome } from "../../../src/api/requests.ts";
import { Approvals } from "../../../src/host/keys/approvals.ts";
import { EnvPermission } from "../../../src/host/keys/envPermission.ts";
import { KeySources } from "../../../src/host/keys/keySources.ts";
import { testKey } from "../../../src/trainer/services/testKey.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";
import { FakeMemory } from "./fakeMemory.ts";
import { type Answer, FakeUi } from "./fakeUi.ts";
import { FakeVault, openStore } from "./fakeVault.ts";

interface KeysAround {
  readonly environment?: () => NodeJS.ProcessEnv;
  readonly envValues?: () => Promise<Readonly<Record<string, string>>>;
  readonly reply?: FakeReply;
}

/** `reply` is what services answer to the test of a key. */
export function keyParts(
  answers: readonly Answer[],
  { environment = () => ({}), envValues = async () => ({}), reply }: KeysAround = {},
) {
  const ui = new FakeUi(...answers);
  const memory = new FakeMemory();
  const { store } = openStore(new FakeVault());
  const envPermission = new EnvPermission({
    memory,
    ui,
    isTrusted: () => true,
    setting: () => "ask",
    allowAlways: async () => undefined,
  });
  return {
    ui,
    memory,
    store,
    envPermission,
    approvals: new Approvals({ memory, ui }),
    sources: new KeySources({ store, environment, envValues }),
    variables: () => ({}),
    ...fakeKeyTest(reply),
  };
}

/** Tests of keys as the server makes them, at services that all answer the same. */
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
