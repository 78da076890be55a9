import { expect, it } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { ChatServices } from "../../../src/trainer/chat/chatServices.ts";
import { loadConfigText } from "../../../src/trainer/config/configFiles.ts";
import { CleanupStack } from "../../../src/trainer/services/cleanupStack.ts";
import { anOrder } from "../../fakes/anOrder.ts";
import { serveHere } from "../../fakes/serveHere.ts";

it("a conversation with a blocked account fails immediately instead of waiting", async () => {
  const server = await serveHere((request, response) => {
    const isBlocked = request.url?.endsWith("/create_sampling_session") ?? false;
    const answer = isBlocked ? { detail: "Your account is out of credit" } : { session_id: "s" };
    response.writeHead(isBlocked ? 402 : 200).end(JSON.stringify(answer));
  });
  const cleanup = new CleanupStack();
  cleanup.add(async () => server.close());
  const { url } = server;
  const key = { value: "tml-1", origin: "store", host: new URL(url).host } as const;
  const text = `{ model_name: Any/Model, batch_size: 1, tinker_base_url: "${url}", environments: { e: { splits: { train: {} }, num_rollouts: 2 } } }`;
  const services = new ChatServices({
    cleanup,
    redactor: new Redactor(),
    launchRequest: anOrder({ keys: { TINKER_API_KEY: key } }),
    onNotice: () => undefined,
  });
  try {
    const service = await services.model(loadConfigText(text, "config.yaml", []));
    await expect(service.samplerForBase("Any/Model")).rejects.toMatchObject({
      code: "tinker-billing",
      message: expect.stringContaining("Your account is out of credit"),
    });
  } finally {
    await cleanup.closeAll();
  }
});
