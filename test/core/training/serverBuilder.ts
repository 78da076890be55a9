/** The server of an environment, for tests. */

import type { EnvironmentConfig } from "../../../src/core/config/fields/schema.ts";

export type ServerConfig = NonNullable<EnvironmentConfig["server"]>;

/** All defaults: neither an address nor a command. */
export const NO_SERVER: ServerConfig = {
  url: null,
  headers: null,
  command: null,
  bridge: null,
  id: null,
  args: null,
  python: null,
  cwd: null,
  env: null,
  ready_timeout: 60,
  environment: null,
};
