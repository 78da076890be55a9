/** The stand-in of W&B on a port. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { StandInServer } from "../../core/tracking/wandb/standInServer.ts";

export interface WandbService {
  readonly url: string;
  readonly standIn: StandInServer;
  close(): void;
}

export async function startWandbService(): Promise<WandbService> {
  const standIn = new StandInServer();
  const server = createServer(async (incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    const answer = await standIn.send({
      method: method === "PUT" ? "PUT" : "POST",
      url: `http://localhost${url}`,
      headers: { ...(headers.authorization && { authorization: headers.authorization }) },
      body: await text(incoming),
    });
    outgoing.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, standIn, close };
}
