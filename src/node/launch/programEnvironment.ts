/** The environment of the programs that the editor starts: what they need of its own, and none of the user's keys. */

import { COMMAND_VARIABLES } from "../commandVariables.ts";

const PASSED_VARIABLES = [
  // The commands that the program starts get them from it.
  ...COMMAND_VARIABLES,
  ...[
    // Programs, the user and temporary files, on each system.
    "PATH HOME LOGNAME TMPDIR TEMP TMP SYSTEMROOT WINDIR LOCALAPPDATA",
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR",
    // The screen, for the commands of notifications.
    "DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS",
    "LANGUAGE LC_CTYPE LC_NUMERIC LC_TIME TZ",
    // The way to the network.
    "HTTPS_PROXY HTTP_PROXY https_proxy http_proxy NODE_EXTRA_CA_CERTS",
    // The model hub as this computer is set up for it, and folders of this program.
    "HF_ENDPOINT HF_HOME HF_HUB_CACHE HF_TOKEN_PATH HF_HUB_OFFLINE",
    "TRANSFORMERS_OFFLINE TINKER_RL_STORE TINKER_RL_DEBUG",
  ].flatMap((names) => names.split(" ")),
];

/** As Node's own program; `more` stands over what is passed on. */
export function programEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = PASSED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...more, ELECTRON_RUN_AS_NODE: "1" };
}
