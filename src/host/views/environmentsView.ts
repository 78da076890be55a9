/** The Environments view: those in the workspace's configurations, on this computer, and at OpenReward. */

import * as vscode from "vscode";
import { findEnvironment, formatListAge } from "../../core/config/editing/catalogue/catalogue.ts";
import type { NamedEnvironment } from "../../core/config/editing/catalogue/namedEnvironments.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { AppError, errorMessage, isAppError } from "../../core/errors.ts";
import type { Listening } from "../../core/util/emitter.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { soon } from "../../node/soon.ts";
import { formatCount, plural } from "../../shared/format.ts";
import type { ConfigSources } from "../config/configSources.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import type { EnvironmentChecks } from "../runs/environmentChecks.ts";
import type { OwnServers } from "../runs/ownServers.ts";
import { environmentRow, serverRow } from "./environmentRow.ts";
import { treeItem } from "./treeItem.ts";
import type { WorkspaceEnvironments } from "./workspaceEnvironments.ts";

export type EnvironmentGroup = "configs" | "local" | "openreward";

export type EnvironmentNode =
  | { readonly kind: "environmentGroup"; readonly group: EnvironmentGroup }
  | {
      readonly kind: "environment";
      readonly group: EnvironmentGroup;
      readonly name: string;
      /** Description of its own server; null = none. */
      readonly server: string | null;
      /** Path of a configuration that uses it; null = none does. */
      readonly config: string | null;
    }
  | (TaskSplit & {
      readonly kind: "environmentSplit";
      /** Null = unknown. */
      readonly tasks: number | null;
    })
  | (TaskSplit & {
      readonly kind: "environmentTask";
      /** Index in the split, from 0. */
      readonly task: number;
      readonly prompt: string | null;
    })
  | (TaskSplit & { readonly kind: "moreTasks" })
  /** A split, a tool, or a note about missing information. */
  | (Note & { readonly kind: "environmentDetail" });

/** A split of an environment in a configuration. */
interface TaskSplit {
  /** Name of the environment. */
  readonly name: string;
  readonly config: string;
  readonly split: string;
}

interface Note {
  readonly icon: string;
  readonly label: string;
  readonly description: string;
  readonly command?: CommandId;
  readonly tooltip?: string;
}

type NodeOf<Kind extends EnvironmentNode["kind"]> = Extract<
  EnvironmentNode,
  { readonly kind: Kind }
>;

export interface EnvironmentsViewOptions {
  readonly catalogue: Pick<ConfigSources["environments"], "current" | "ready"> & {
    readonly onDidChange: (listener: () => void) => Listening;
    refresh(environment: string | null): Promise<void>;
  };
  /** Environments in the workspace's configurations. */
  readonly named: Pick<WorkspaceEnvironments, "named" | "onDidChange">;
  readonly checks: Pick<EnvironmentChecks, "badge" | "onDidChange">;
  readonly servers: Pick<OwnServers, "onDidChange" | "prompts" | "state">;
}

const REDRAW_MS = 200;
const MAX_SHOWN = 2_000;
/** Maximum number of environments whose details are fetched by one click. */
const MAX_ASKED = 10;
/** Number of task rows added at a time. */
const TASKS_SHOWN = 20;
const GROUPS: readonly EnvironmentGroup[] = ["configs", "local", "openreward"];

export class EnvironmentsView
  implements vscode.TreeDataProvider<EnvironmentNode>, vscode.Disposable
{
  readonly #options: EnvironmentsViewOptions;
  readonly #changes = new vscode.EventEmitter<EnvironmentNode | undefined>();
  readonly #listening: readonly Listening[];
  /** The error of the last request about an environment, or about the list (null). */
  readonly #failures = new Map<string | null, unknown>();
  readonly #asking = new Set<string | null>();
  /** Number of tasks shown, by environment and split. */
  readonly #shown = new Map<string, number>();
  /** Beginnings of prompts, by server address, environment and split; a restarted server may have different ones. */
  readonly #prompts = new Map<string, readonly (string | null)[]>();
  readonly #redraw = soon(REDRAW_MS, () => this.#changes.fire(undefined));

  readonly onDidChangeTreeData = this.#changes.event;

  constructor(options: EnvironmentsViewOptions) {
    this.#options = options;
    const again = this.#redraw;
    this.#listening = [
      options.catalogue.onDidChange(again),
      options.named.onDidChange(again),
      options.checks.onDidChange(again),
      options.servers.onDidChange(() => {
        this.#prompts.clear();
        again();
      }),
    ];
  }

  dispose(): void {
    for (const each of this.#listening) each.dispose();
    this.#redraw.dispose();
    this.#changes.dispose();
  }

  /** Call when the user expands a row: fetches its content once. */
  async expanded(node: EnvironmentNode): Promise<void> {
    const { catalogue } = this.#options;
    await catalogue.ready();
    if (node.kind === "environmentGroup" && node.group === "openreward") {
      if (catalogue.current().hosted.environments === null) await this.#ask(null);
    }
    if (node.kind === "environment" && this.#needsDetails(node)) await this.#ask(node.name);
  }

  /** Refreshes the list and the configurations' environments; failures are shown in the tree. */
  async refresh(): Promise<void> {
    const { named } = this.#options;
    this.#failures.clear();
    const hosted = (await named.named()).filter(
      ({ name, server }) => server === null && !isLocalModel(name),
    );
    const questions = hosted.slice(0, MAX_ASKED).map(({ name }) => this.#ask(name));
    await Promise.all([this.#ask(null), ...questions]);
  }

  async getChildren(node?: EnvironmentNode): Promise<EnvironmentNode[]> {
    if (node === undefined) return this.#groups();
    if (node.kind === "environmentGroup") return this.#environments(node);
    if (node.kind === "environmentSplit") return this.#tasks(node);
    return node.kind === "environment" ? this.#details(node) : [];
  }

  getTreeItem(node: EnvironmentNode): vscode.TreeItem {
    switch (node.kind) {
      case "environmentGroup":
        return this.#groupItem(node.group);
      case "environment":
        return this.#environmentItem(node);
      case "environmentDetail":
        return detailItem(node);
      case "environmentSplit":
        return splitItem(node);
      case "environmentTask":
        return taskItem(node);
      case "moreTasks":
        return moreItem();
    }
  }

  async #groups(): Promise<EnvironmentNode[]> {
    const named = await this.#options.named.named();
    return GROUPS.filter((group) => group !== "configs" || named.length > 0).map((group) => ({
      kind: "environmentGroup",
      group,
    }));
  }

  async #environments(node: NodeOf<"environmentGroup">): Promise<EnvironmentNode[]> {
    const found = await this.#inGroup(node.group);
    const unasked = vscode.l10n.t("Load the environments of OpenReward");
    if (found === null) return [this.#note(null, unasked)];
    return found.map((each) => ({ kind: "environment", group: node.group, config: null, ...each }));
  }

  /** Null if the list was never fetched. */
  async #inGroup(
    group: EnvironmentGroup,
  ): Promise<readonly (NamedEnvironment & { readonly config?: string })[] | null> {
    const { catalogue, named } = this.#options;
    const { local, hosted } = catalogue.current();
    if (group === "configs") return named.named();
    const list = group === "local" ? local.environments : hosted.environments;
    const names = list?.items.slice(0, MAX_SHOWN).map(({ name }) => name);
    const sorted = names?.toSorted((a, b) => a.localeCompare(b));
    return sorted?.map((name) => ({ name, server: null })) ?? null;
  }

  #details(node: NodeOf<"environment">): EnvironmentNode[] {
    if (node.server !== null) return this.#ownDetails(node, node.server);
    const entry = findEnvironment(this.#options.catalogue.current(), node.name);
    const { splits, tools } = entry ?? { splits: null, tools: null };
    if (splits === null && tools === null) {
      return [this.#note(node.name, vscode.l10n.t("Tasks and tools are not known yet"))];
    }
    return [
      ...splitNodes(node, splits ?? []),
      ...(tools ?? []).map((tool) => detail("tools", tool, vscode.l10n.t("tool"))),
    ];
  }

  /** Its server, and the splits if the server is running. */
  #ownDetails(node: NodeOf<"environment">, server: string): EnvironmentNode[] {
    const state = this.#options.servers.state(node.name);
    const note = { kind: "environmentDetail", ...serverRow(state, server) } as const;
    if (state.kind !== "ready" || node.config === null) return [note];
    return [note, ...splitNodes(node, state.splits)];
  }

  async #tasks(node: NodeOf<"environmentSplit">): Promise<EnvironmentNode[]> {
    const { name, config, split } = node;
    const tasks = node.tasks ?? 0;
    const count = Math.min(tasks, this.#shown.get(`${name}\0${split}`) ?? TASKS_SHOWN);
    const prompts = await this.#promptsOf(name, split, count);
    const rows = Array.from({ length: count }, (_, task): EnvironmentNode => {
      const prompt = prompts[task] ?? null;
      return { kind: "environmentTask", name, config, split, task, prompt };
    });
    return count < tasks ? [...rows, { kind: "moreTasks", name, config, split }] : rows;
  }

  async #promptsOf(
    name: string,
    split: string,
    count: number,
  ): Promise<readonly (string | null)[]> {
    const { servers } = this.#options;
    if (servers.state(name).kind !== "ready") return [];
    const key = `${name}\0${split}`;
    const known = this.#prompts.get(key) ?? [];
    if (known.length >= count) return known;
    const more = await servers.prompts(name, split, known.length, count);
    const all = [...known, ...more];
    this.#prompts.set(key, all);
    return all;
  }

  /** Shows more tasks of the split that the "more" row belongs to. */
  showMore(row: EnvironmentNode | null): void {
    if (row?.kind !== "moreTasks") return;
    const key = `${row.name}\0${row.split}`;
    this.#shown.set(key, (this.#shown.get(key) ?? TASKS_SHOWN) + TASKS_SHOWN);
    this.#changes.fire(undefined);
  }

  #note(what: string | null, unasked: string): EnvironmentNode {
    if (!vscode.workspace.isTrusted) {
      return detail("shield", vscode.l10n.t("Lookups are off in Restricted Mode"));
    }
    if (this.#asking.has(what)) return detail("loading~spin", vscode.l10n.t("Asking…"));
    const failure = this.#failures.get(what);
    return failure === undefined
      ? { ...detail("cloud", unasked), command: "refreshEnvironments" }
      : { ...detail("warning", "", errorMessage(failure)), ...stepAfter(failure) };
  }

  #groupItem(group: EnvironmentGroup): vscode.TreeItem {
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const titles = {
      configs: vscode.l10n.t("In this workspace's configurations"),
      local: vscode.l10n.t("Local"),
      openreward: vscode.l10n.t("OpenReward"),
    };
    const list = this.#options.catalogue.current().hosted.environments;
    const description =
      group === "openreward" && list !== null
        ? `${formatCount(list.items.length)} · ${formatListAge(list.ageMs)}`
        : "";
    const said = description === "" ? "" : `, ${description}`;
    const row = {
      label: titles[group],
      id: `environments:${group}`,
      description,
      context: "environmentGroup",
      spoken: vscode.l10n.t("environments: {0}{1}", titles[group], said),
    };
    return treeItem(row, group === "openreward" ? Collapsed : Expanded);
  }

  #environmentItem({ group, name, server, config }: NodeOf<"environment">) {
    const row = environmentRow(
      name,
      findEnvironment(this.#options.catalogue.current(), name),
      server,
      this.#options.servers.state(name),
      config === null ? null : this.#options.checks.badge({ name, config }),
    );
    const label = group === "local" ? row.label : name;
    const { Collapsed } = vscode.TreeItemCollapsibleState;
    return treeItem({ ...row, label, id: `environment:${group}:${name}` }, Collapsed);
  }

  #needsDetails({ name, server }: NamedEnvironment): boolean {
    if (server !== null || isLocalModel(name)) return false;
    return (findEnvironment(this.#options.catalogue.current(), name)?.splits ?? null) === null;
  }

  /** Asks about an environment, or about the list (null): one request at a time, whose failure is shown in place of the answer. */
  async #ask(what: string | null): Promise<void> {
    if (this.#asking.has(what) || !vscode.workspace.isTrusted) return;
    this.#asking.add(what);
    this.#failures.delete(what);
    this.#changes.fire(undefined);
    try {
      await this.#options.catalogue.refresh(what);
    } catch (error) {
      this.#failures.set(what, error instanceof Error ? error : new AppError("bug", String(error)));
    } finally {
      this.#asking.delete(what);
      this.#changes.fire(undefined);
    }
  }
}

function stepAfter(failure: unknown) {
  if (isAppError(failure, "key-missing", "environment-auth")) {
    return { label: vscode.l10n.t("Set an OpenReward key"), command: "setOpenRewardKey" } as const;
  }
  if (isAppError(failure, "environment-billing")) {
    const label = vscode.l10n.t("Add credit at OpenReward");
    return { label, command: "openOpenRewardAccount" } as const;
  }
  return { label: vscode.l10n.t("Try again"), command: "refreshEnvironments" } as const;
}

function detailItem({
  icon,
  label,
  description,
  command,
  tooltip,
}: NodeOf<"environmentDetail">): vscode.TreeItem {
  return treeItem({
    label,
    description,
    icon,
    spoken: [label, description].filter(Boolean).join(", "),
    tooltip: description === "" ? undefined : (tooltip ?? `${label}\n${description}`),
    command: command && { command: commandName(command), title: label },
  });
}

function detail(icon: string, label: string, description = ""): NodeOf<"environmentDetail"> {
  return { kind: "environmentDetail", icon, label, description };
}

/** Only an environment in a configuration has tasks to play. */
function splitNodes(
  { name, config }: NodeOf<"environment">,
  splits: readonly { readonly name: string; readonly tasks: number | null }[],
): EnvironmentNode[] {
  return splits.map(({ name: split, tasks }) =>
    config === null
      ? detail("list-ordered", split, splitText(tasks))
      : { kind: "environmentSplit", name, config, split, tasks },
  );
}

function splitItem({ name, split, tasks }: NodeOf<"environmentSplit">): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const description = splitText(tasks);
  const row = {
    label: split,
    id: `split:${name}:${split}`,
    description,
    icon: "list-ordered",
    context: "environmentSplit",
    spoken: `${split}, ${description}`,
  };
  return treeItem(row, (tasks ?? 0) > 0 ? Collapsed : None);
}

function splitText(tasks: number | null): string {
  return tasks === null
    ? vscode.l10n.t("split")
    : plural(tasks, "split · {0} task", "split · {0} tasks");
}

function taskItem({ name, split, task, prompt }: NodeOf<"environmentTask">): vscode.TreeItem {
  const text = plainLine(prompt ?? "");
  const spoken = vscode.l10n.t("task {0} of {1}", task, split);
  return treeItem({
    label: vscode.l10n.t("task {0}", task),
    id: `task:${name}:${split}:${task}`,
    description: text,
    tooltip: text,
    context: "environmentTask",
    spoken: [spoken, text].filter(Boolean).join(", "),
  });
}

function moreItem(): vscode.TreeItem {
  const label = vscode.l10n.t("Show More Tasks");
  const command = { command: commandName("showMoreTasks"), title: label };
  return treeItem({ label, icon: "ellipsis", command });
}
