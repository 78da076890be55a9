/** The built program, exposed to other programs by `serve`, with its own store. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalServers, serve } from "../../src/trainer/serve.ts";
import { PROGRAM_FOLDER } from "../integration/trainProgram.ts";

/** `close` removes the store. */
export async function serveProgram(): Promise<LocalServers> {
  const store = await mkdtemp(join(tmpdir(), "tinker-rl-conformance-"));
  const ports = { tinkerPort: 0, maxSessions: null, environmentsPort: 0 };
  const served = await serve({ ...ports, store, random: null, programFolder: PROGRAM_FOLDER });
  return {
    ...served,
    close: async () => {
      await served.close();
      await rm(store, { recursive: true, force: true });
    },
  };
}
