/** The fake W&B server on a port. */

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { FakeWandbServer } from "../../core/tracking/wandb/fakeWandbServer.ts";
import { listenAnywhere } from "../../integration/tinkerServersStub.ts";

export interface WandbService {
  readonly url: string;
  readonly fake: FakeWandbServer;
  close(): void;
}

export async function startWandbService(): Promise<WandbService> {
  const fake = new FakeWandbServer();
  const server = createServer(async (incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    const answer = await fake.send({
      method: method === "PUT" ? "PUT" : "POST",
      url: `http://localhost${url}`,
      headers: { ...(headers.authorization && { authorization: headers.authorization }) },
      body: await text(incoming),
    });
    outgoing.writeHead(answer.status).end(await answer.text());
  });
  const url = await listenAnywhere(server);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, fake, close };
}
