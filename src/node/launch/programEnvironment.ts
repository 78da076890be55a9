/** The environment for programs that the editor starts: the variables they need, without the user's keys. */

import { COMMAND_VARIABLES } from "../commandVariables.ts";

const PASSED_VARIABLES = [
  // The program passes these on to the commands it starts.
  ...COMMAND_VARIABLES,
  ...[
    // Program paths, the user and temporary files, on each system.
    "PATH HOME LOGNAME TMPDIR TEMP TMP SYSTEMROOT WINDIR LOCALAPPDATA",
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR",
    // The display, for notification commands.
    "DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS",
    "LANGUAGE LC_CTYPE LC_NUMERIC LC_TIME TZ",
    // Network access.
    "HTTPS_PROXY HTTP_PROXY https_proxy http_proxy NODE_EXTRA_CA_CERTS",
    // This computer's model hub settings, and this program's folders.
    "HF_ENDPOINT HF_HOME HF_HUB_CACHE HF_TOKEN_PATH HF_HUB_OFFLINE",
    "TRANSFORMERS_OFFLINE TINKER_RL_STORE TINKER_RL_DEBUG",
  ].flatMap((names) => names.split(" ")),
];

/** Makes Electron run as Node; `more` takes precedence over passed variables. */
export function programEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = PASSED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...more, ELECTRON_RUN_AS_NODE: "1" };
}
