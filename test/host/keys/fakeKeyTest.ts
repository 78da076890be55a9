/** Tests of keys as the server makes them, at services that a test answers for. */

import type { KeyTestRequest, KeyTestResult } from "../../../src/api/keys.ts";
import type { RequestOutcome } from "../../../src/api/requests.ts";
import { testKey } from "../../../src/trainer/services/testKey.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";

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
