/**
 * The connections to one origin: as many as there are requests in progress, each kept for the next request. Finding a free one
 * takes no longer with thousands of them, and the one that was used last is taken first, so that the others may close.
 */

import { buildConnector, Client, Dispatcher } from "undici";
import { errorCode } from "./errorCode.ts";

/** When a connection fails with one of these, undici connects again without end, also for a request that was given up. */
const TRIED_AGAIN: readonly string[] = ["UND_ERR_SOCKET", "UND_ERR_INFO"];

/** Made by an agent for each of its origins, with the options that the agent was given. */
export function connectionsTo(origin: string | URL, options: object): Dispatcher {
  // The agent's type does not say which options it hands on; they are those of a client, without the origin.
  const given = options as Client.Options;
  const { connect } = given;
  // One for all connections, because it remembers TLS sessions.
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

/** Has the `syscall` of a connection that was never there, also when a proxy refused or ended it. */
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
  /** They could not connect, and are not used again. */
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
    // A request that is refused as it stands never makes the client busy.
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

  /** A client without a connection is not kept: the next is as cheap. */
  #drop(client: Client): void {
    if (!this.#open.delete(client)) return;
    client.close(() => undefined);
  }
}
