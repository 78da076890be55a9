/** What a row of the Environments view says. */

import * as l10n from "@vscode/l10n";
import type { EnvironmentEntry } from "../../core/config/editing/catalogue/catalogue.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { formatCount, plural } from "../../shared/format.ts";

export interface EnvironmentRow {
  readonly label: string;
  readonly description: string;
  /** With words for what icon and place say. */
  readonly spoken: string;
  readonly tooltip: string;
  readonly icon: string;
  readonly context: string;
}

/** `entry` is null for a name that no list has; `server` is the environment's own in words, null = it has none. */
export function environmentRow(
  name: string,
  entry: EnvironmentEntry | null,
  server: string | null = null,
): EnvironmentRow {
  if (server !== null) return ownRow(name, server);
  const isLocal = isLocalModel(name);
  const splits = (entry?.splits ?? []).map(({ name: split, tasks }) =>
    tasks === null ? split : `${formatCount(tasks)} ${split}`,
  );
  const tools = entry?.tools ?? null;
  const details = [
    ...splits,
    ...(tools === null ? [] : [plural(tools.length, "{0} tool", "{0} tools")]),
  ];
  const spoken = isLocal
    ? l10n.t("environment {0} on this computer", name)
    : l10n.t("environment {0} at OpenReward", name);
  return {
    label: isLocal ? name.slice("local/".length) : name,
    description: details.join(" · "),
    spoken: [spoken, ...details].join(", "),
    tooltip: [name, entry?.description ?? "", details.join(" · ")].filter(Boolean).join("\n"),
    icon: isLocal ? "package" : "globe",
    context: `environment+${isLocal ? "local" : "hosted"}`,
  };
}

function ownRow(name: string, server: string): EnvironmentRow {
  return {
    label: name,
    description: server,
    spoken: l10n.t("environment {0} with a server of its own, {1}", name, server),
    tooltip: `${name}\n${server}`,
    icon: "server-process",
    context: "environment+own",
  };
}
