/** The editor's network settings, as environment variables for a program. */

import * as vscode from "vscode";

/** Variables of the process take precedence over settings. */
export function proxyVariables(): NodeJS.ProcessEnv {
  const proxy: unknown = vscode.workspace.getConfiguration("http").get("proxy");
  if (typeof proxy !== "string" || proxy === "") return {};
  const isSet = (name: string): boolean =>
    (process.env[name] ?? process.env[name.toLowerCase()] ?? "") !== "";
  return isSet("HTTPS_PROXY") ? {} : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
}
