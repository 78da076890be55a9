/** The environment of the programs that the editor starts: what they need of its own, and none of the user's keys. */

const PASSED_VARIABLES = [
  // Programs, the user and temporary files, on each system.
  "PATH PATHEXT HOME USER LOGNAME SHELL TMPDIR TEMP TMP",
  "SYSTEMROOT WINDIR COMSPEC USERPROFILE USERNAME HOMEDRIVE HOMEPATH",
  "APPDATA LOCALAPPDATA PROGRAMDATA LD_LIBRARY_PATH DYLD_LIBRARY_PATH",
  "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR",
  "LANG LANGUAGE LC_ALL LC_CTYPE LC_NUMERIC LC_TIME TZ",
  // The way to the network.
  "HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy",
  "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR",
  // The model hub as this computer is set up for it, and folders of this program.
  "HF_ENDPOINT HF_HOME HF_HUB_CACHE HF_TOKEN_PATH HF_HUB_OFFLINE",
  "TRANSFORMERS_OFFLINE TINKER_RL_STORE TINKER_RL_DEBUG",
].flatMap((names) => names.split(" "));

/** As Node's own program; `more` stands over what is passed on. */
export function programEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = PASSED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...more, ELECTRON_RUN_AS_NODE: "1" };
}
