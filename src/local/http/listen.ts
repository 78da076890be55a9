/** Where a service listens: on a socket or pipe in a private folder, or on a loopback port. */

import type { Server } from "node:http";
import { AppError, errorMessage } from "../../core/errors.ts";

export type ListenTarget =
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "port"; readonly port: number };

const HOST = "127.0.0.1";
/** Hundreds of sample requests may connect at once. */
const BACKLOG = 512;

/**
 * Starts listening and resolves with the address: the socket path, or `http://127.0.0.1:PORT`.
 * @throws AppError `listen-failed`
 */
export function listen(server: Server, target: ListenTarget): Promise<string> {
  const options =
    target.kind === "socket" ? { path: target.path } : { port: target.port, host: HOST };
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(failed(target, error));
    server.once("error", onError);
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off("error", onError);
      const address = server.address();
      resolve(
        typeof address === "object" && address !== null
          ? `http://${HOST}:${address.port}`
          : String(address),
      );
    });
  });
}

/** Also ends replies in progress. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function failed(target: ListenTarget, error: Error): AppError {
  const where = target.kind === "socket" ? `the socket ${target.path}` : `port ${target.port}`;
  return new AppError(
    "listen-failed",
    `Cannot listen on ${where}: ${errorMessage(error)}. Choose another one.`,
    { cause: error },
  );
}
