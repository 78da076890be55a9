/**
 * The connections to one origin: as many as there are requests in progress, each reused afterward. Finding an idle one takes constant time;
 * the most recently used one is taken first, so that the others can close.
 */

import { buildConnector, Client, Dispatcher } from "undici";
import { errorCode } from "./errorCode.ts";

/** After these connection errors, undici reconnects forever, even for an abandoned request. */
const TRIED_AGAIN: readonly string[] = ["UND_ERR_SOCKET", "UND_ERR_INFO"];

/** Used as the factory of an agent: creates the dispatcher for one origin with the agent's options. */
export function connectionsTo(origin: string | URL, options: object): Dispatcher {
  // The agent's type does not declare the options it passes; they are those of a client, without the origin.
  const given = options as Client.Options;
  const { connect } = given;
  // Shared by all connections, because it caches TLS sessions.
  const connector = typeof connect === "function" ? connect : buildConnector({ ...connect });
  return new OriginConnections(origin, { ...given, connect: tryingOnce(connector) });
}

function tryingOnce(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connector(options, (...[failure, socket]) => {
      if (failure === null) callback(null, socket);
      else callback(connectFailure(failure), null);
    });
}

/** Sets `syscall` to `connect`, marking a connection that was never established, even if a proxy refused or closed it. */
function connectFailure(cause: Error): Error {
  const code = errorCode(cause);
  return Object.assign(new Error(cause.message, { cause }), {
    syscall: "connect",
    code: TRIED_AGAIN.includes(code) ? "ECONNRESET" : code,
  });
}

class OriginConnections extends Dispatcher {
  readonly #origin: string | URL;
  readonly #options: Client.Options;
  readonly #open = new Set<Client>();
  readonly #idle: Client[] = [];
  /** Clients that failed to connect and are not reused. */
  readonly #broken = new WeakSet<Client>();

  constructor(origin: string | URL, options: Client.Options) {
    super();
    this.#origin = origin;
    this.#options = options;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const client = this.#takeIdle() ?? this.#create();
    client.dispatch(options, handler);
    // The client stays idle if the request itself was rejected.
    if (client.stats.size === 0) this.#free(client);
    return true;
  }

  override async close(): Promise<void> {
    await Promise.all([...this.#open].map((client) => client.close()));
  }

  override async destroy(error?: unknown): Promise<void> {
    const cause = error instanceof Error ? error : null;
    await Promise.all([...this.#open].map((client) => client.destroy(cause)));
  }

  #takeIdle(): Client | null {
    for (let client = this.#idle.pop(); client !== undefined; client = this.#idle.pop()) {
      if (this.#open.has(client)) return client;
    }
    return null;
  }

  #create(): Client {
    const client = new Client(this.#origin, this.#options);
    this.#open.add(client);
    client.on("drain", () => this.#free(client));
    client.on("disconnect", () => {
      if (client.stats.size === 0) this.#drop(client);
    });
    client.on("connectionError", () => this.#broken.add(client));
    return client;
  }

  #free(client: Client): void {
    if (this.#broken.has(client)) this.#drop(client);
    else if (this.#open.has(client)) this.#idle.push(client);
  }

  /** Drops a client without a connection, because a new one is just as cheap. */
  #drop(client: Client): void {
    if (!this.#open.delete(client)) return;
    client.close(() => undefined);
  }
}
