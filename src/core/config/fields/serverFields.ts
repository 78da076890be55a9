/** Fields of an environment's own server. */

import { type FieldTable, OPTIONAL } from "./field.ts";

export const HTTP_URL = {
  type: "string",
  pattern: "^https?://[^\\s/?#@]+([/?#]\\S*)?$",
  patternMeaning: "an address that begins with http:// or https://, without a user name",
} as const;

/** Headers that a server or a proxy in front of it requires. */
export const HEADERS = {
  type: "map",
  keyName: "header",
  of: { type: "string", nullable: true, isSecret: true },
  ...OPTIONAL,
  change: "fixed",
} as const;

export const serverFields = {
  url: {
    ...HTTP_URL,
    ...OPTIONAL,
    examples: ["http://127.0.0.1:8080"],
    change: "fixed",
    doc: "Address of the server. With `command`, the address at which the command listens, on this computer; without it a free port is chosen.",
  },
  headers: {
    ...HEADERS,
    doc: "Headers for every request to this server only. The value `null` looks the header up as a variable: `X-Proxy-Key` as `X_PROXY_KEY`.",
  },
  command: {
    type: "list",
    of: { type: "string" },
    minItems: 1,
    ...OPTIONAL,
    examples: [["python", "environment.py"]],
    change: "fixed",
    doc: "Program and arguments that start the server, without a shell. The trainer starts it, waits until it answers, restarts it after a crash, and ends it with the run. It must listen on the port in the variable `PORT`; `{port}` in an argument stands for the same.",
  },
  bridge: {
    type: "enum",
    values: ["reasoning-gym", "textarena", "verifiers", "openenv"],
    ...OPTIONAL,
    change: "fixed",
    doc: "Library whose environment `id` the trainer serves itself, instead of `command`: [Other libraries](other-libraries.md).",
  },
  id: {
    type: "string",
    ...OPTIONAL,
    examples: ["chain_sum", "GuessTheNumber-v0"],
    change: "fixed",
    doc: "With `bridge`: name of the environment in its library, or the address of a running server of `openenv`.",
  },
  args: {
    type: "map",
    keyName: "argument",
    of: { type: "string" },
    ...OPTIONAL,
    examples: [{ size: 500, seed: 1 }],
    change: "fixed",
    isAdvanced: true,
    doc: "With `bridge`: arguments of the environment. Numbers, booleans, and quoted JSON are parsed. If the library draws tasks, `size`, `test_size` and `seed` decide them.",
  },
  python: {
    type: "string",
    ...OPTIONAL,
    examples: [".venv/bin/python"],
    change: "fixed",
    isAdvanced: true,
    doc: "With `bridge`: the Python with the library, relative to the configuration. `null` uses `.venv` next to the configuration, or else `python3`.",
  },
  cwd: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    isAdvanced: true,
    doc: "Folder in which the command starts, relative to the configuration file. `null` is the folder of the configuration.",
  },
  env: {
    type: "map",
    keyName: "variable",
    of: { type: "string", nullable: true },
    ...OPTIONAL,
    change: "fixed",
    isAdvanced: true,
    doc: "Variables of the command. The value `null` looks the variable up, which keeps a secret out of this file. The command gets none of your other keys.",
  },
  ready_timeout: {
    type: "number",
    above: 0,
    default: 60,
    unit: "seconds",
    change: "fixed",
    isAdvanced: true,
    doc: "Time for the command's server to start answering.",
  },
  environment: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    isAdvanced: true,
    doc: "Name of the environment on the server. `null` is the name under `environments`; for `Owner/Name` it is the server's first environment.",
  },
} as const satisfies FieldTable;
