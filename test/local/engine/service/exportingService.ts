/** A service over a fake engine that holds one model, and exports one real adapter as its files. */

import type { Clock } from "../../../../src/core/ports.ts";
import { encodeAdapter } from "../../../../src/local/engine/adapterFile.ts";
import { adapterLayout } from "../../../../src/local/engine/architecture.ts";
import { createTinkerService } from "../../../../src/local/engine/service/service.ts";
import { listen } from "../../../../src/local/http/listen.ts";
import { createFileSystem } from "../../../../src/node/fileSystem.ts";
import { systemRandom } from "../../../../src/node/random.ts";
import { createFakeEngine } from "../../../fakes/fakeEngine.ts";
import { silentLog } from "../../../fakes/silentLog.ts";
import { SMALL } from "../testModel.ts";
import { createServiceClient, type ServiceClient } from "./serviceClient.ts";

export interface ExportingService {
  readonly address: string;
  readonly client: ServiceClient;
  readonly modelId: string;
  close(): Promise<void>;
}

const layout = adapterLayout(SMALL, 8);
/** Without an optimizer's state. */
export const ADAPTER = encodeAdapter("local/fake", {
  layout,
  optimizer: null,
  trainAttn: true,
  trainMlp: true,
  parameters: Float32Array.from({ length: layout.length }, (_, i) => i),
});

/** Over the store in `folder`. */
export async function startExportingService({
  folder: storeFolder,
  clock,
  key,
}: {
  readonly folder: string;
  readonly clock: Clock;
  readonly key: string;
}): Promise<ExportingService> {
  const engine = createFakeEngine();
  const service = await createTinkerService({
    engine: {
      ...engine,
      exportAdapter: async (source, withOptimizer) =>
        withOptimizer ? await engine.exportAdapter(source, true) : ADAPTER,
    },
    storeFolder,
    key,
    clock,
    random: systemRandom,
    log: silentLog,
    files: createFileSystem(),
  });
  const address = await listen(service.server, { kind: "port", port: 0 });
  const client = createServiceClient(address, key);
  const { session_id } = await client.post("/create_session", { tags: [] });
  const created = await client.submit("/create_model", {
    session_id,
    model_seq_id: 0,
    base_model: "local/fake",
    lora_config: { rank: 8, seed: 1 },
  });
  const modelId = String(created["model_id"]);
  return { address, client, modelId, close: () => service.close() };
}
