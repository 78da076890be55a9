/** The connection to the window's server, for the whole extension. Cheap: the server starts when it is first needed. */

import type { ServerClient, ServerClientOptions, ServerRequestOptions } from "./serverClient.ts";

export class Server {
  readonly #options: ServerClientOptions;
  readonly #handlers: [string, (parameters: unknown) => Promise<unknown>][] = [];
  #client: Promise<ServerClient> | null = null;

  constructor(options: ServerClientOptions) {
    this.#options = options;
  }

  /** Resolves once the server runs. After a failure, the next call retries. */
  start(): Promise<ServerClient> {
    this.#client ??= this.#load().catch((error: unknown) => {
      this.#client = null;
      throw error;
    });
    return this.#client;
  }

  /** @throws AppError `server-stopped` if the server ends before it answers, otherwise the error it answers with */
  async request<Answer, Report = never>(
    method: string,
    parameters: object,
    options: ServerRequestOptions<Report> = {},
  ): Promise<Answer> {
    return (await this.start()).request(method, parameters, options);
  }

  /** Sends a notification; does nothing if there is no server. */
  async notify(method: string, parameters: object): Promise<void> {
    await (await this.#client)?.notify(method, parameters);
  }

  /** Handles a request from the server. Call once per method. */
  handle<Parameters>(method: string, handler: (parameters: Parameters) => Promise<unknown>): void {
    const answer = (parameters: unknown) => handler(parameters as Parameters); // the server is of this package
    this.#handlers.push([method, answer]);
    this.#client?.then(
      (client) => client.handle(method, answer),
      () => undefined,
    );
  }

  /** Stops the server. */
  async stop(): Promise<void> {
    await (await this.#client?.catch(() => null))?.stop();
  }

  async #load(): Promise<ServerClient> {
    const { ServerClient } = await import("./serverClient.ts");
    const client = await ServerClient.start(this.#options);
    for (const [method, handler] of this.#handlers) client.handle(method, handler);
    return client;
  }
}
