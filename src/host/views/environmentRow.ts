/** The content of a row in the Environments view. */

import * as l10n from "@vscode/l10n";
import type { EnvironmentEntry } from "../../core/config/editing/catalogue/catalogue.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { formatCount, plural } from "../../shared/format.ts";
import type { RowText } from "../../shared/rowText.ts";
import { badgeText, type CheckBadge } from "../runs/environmentChecks.ts";
import type { OwnServerState } from "../runs/ownServers.ts";

const ICONS = {
  stopped: "server-process",
  starting: "loading~spin",
  stopping: "loading~spin",
  failed: "error",
  ready: "vm-running",
};

type EnvironmentRow = Omit<RowText, "color"> & { readonly tooltip: string };

/**
 * `entry` is null for an unlisted name; `server` describes the environment's own server (null = none); `state` is that of the server the
 * window runs.
 */
export function environmentRow(
  name: string,
  entry: EnvironmentEntry | null,
  server: string | null = null,
  state: OwnServerState = { kind: "stopped" },
  badge: CheckBadge | null = null,
): EnvironmentRow {
  const checked = badge === null ? [] : [badgeText(badge)];
  if (server !== null) return ownRow(name, server, state, checked);
  const isLocal = isLocalModel(name);
  const splits = (entry?.splits ?? []).map(({ name: split, tasks }) =>
    tasks === null ? split : `${formatCount(tasks)} ${split}`,
  );
  const tools = entry?.tools ?? null;
  const details = [
    ...checked,
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

function ownRow(
  name: string,
  server: string,
  state: OwnServerState,
  checked: readonly string[],
): EnvironmentRow {
  const said = {
    stopped: "",
    starting: l10n.t("starting"),
    stopping: l10n.t("stopping"),
    failed: l10n.t("did not start"),
    ready: l10n.t("running"),
  };
  const shown = [...checked, said[state.kind], server].filter(Boolean).join(" · ");
  const isUp = state.kind === "ready" || state.kind === "starting";
  const context = isUp
    ? "serverStarted"
    : state.kind === "stopping"
      ? "serverEnding"
      : "serverStopped";
  return {
    label: name,
    description: shown,
    spoken: l10n.t("environment {0} with a server of its own, {1}", name, shown),
    tooltip: `${name}\n${shown}`,
    icon: ICONS[state.kind],
    context: `environment+own+${context}`,
  };
}

/** The state of a local environment's server, as a row below the environment; `command` starts it. */
export function serverRow(state: OwnServerState, command: string) {
  const icon = ICONS[state.kind];
  switch (state.kind) {
    case "stopped": {
      const description = l10n.t("start to see tasks");
      return { icon, label: l10n.t("Server stopped"), description, tooltip: command };
    }
    case "starting":
      return { icon, label: l10n.t("Server starting"), description: command };
    case "stopping":
      return { icon, label: l10n.t("Server stopping"), description: "" };
    case "failed":
      return { icon, label: l10n.t("Server did not start"), description: state.message };
    case "ready": {
      const description = state.address.replace(/^http:\/\//, "");
      return { icon, label: l10n.t("Server running"), description };
    }
  }
}
