/** The fake W&B server on a port. */

import { text } from "node:stream/consumers";
import { FakeWandbServer } from "../../core/tracking/wandb/fakeWandbServer.ts";
import { type Served, serveHere } from "../../fakes/serveHere.ts";

export interface WandbService extends Served {
  readonly fake: FakeWandbServer;
}

export async function startWandbService(): Promise<WandbService> {
  const fake = new FakeWandbServer();
  const served = await serveHere(async (incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    const answer = await fake.send({
      method: method === "PUT" ? "PUT" : "POST",
      url: `http://localhost${url}`,
      headers: { ...(headers.authorization && { authorization: headers.authorization }) },
      body: await text(incoming),
    });
    outgoing.writeHead(answer.status).end(await answer.text());
  });
  return { ...served, fake };
}
