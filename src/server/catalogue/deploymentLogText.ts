/** A deployment log as readable text. */

import * as l10n from "@vscode/l10n";
import type { DeploymentLog } from "../../core/openreward/catalogue.ts";
import { environmentPage } from "../../core/services.ts";
import { visibleText } from "../../core/util/visibleText.ts";

/** `log` is null if the environment has no deployment. */
export function deploymentLogText(name: string, log: DeploymentLog | null): string {
  const page = environmentPage(name);
  const head = [name, ...(page === null ? [] : [page])];
  if (log === null) {
    const never = l10n.t("It was never built. Connect it to a repository on its page.");
    return `${[...head, "", never].join("\n")}\n`;
  }
  const { id, status, branch, commit, createdAt, build, lines } = log;
  const facts = [
    l10n.t("deployment {0}", id.slice(0, 8)),
    status,
    branch === null ? null : l10n.t("branch {0}", branch),
    commit === null ? null : l10n.t("commit {0}", commit.slice(0, 8)),
    createdAt,
  ];
  const none = l10n.t("(nothing yet)");
  const text = [
    ...head,
    facts.filter((fact) => fact !== null).join(" · "),
    "",
    l10n.t("Since it runs, the newest lines:"),
    ...(lines.length === 0 ? [none] : lines),
    "",
    l10n.t("Its build:"),
    build ?? none,
  ].join("\n");
  return `${visibleText(text)}\n`;
}
