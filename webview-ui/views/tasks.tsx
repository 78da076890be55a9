/** The curriculum's statistics of each task as of the run's last checkpoint. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import { formatCount, plural } from "../../src/shared/format.ts";
import { MAX_SEARCH_LENGTH } from "../../src/shared/search.ts";
import { taskId } from "../../src/shared/taskId.ts";
import {
  TASK_POOLS,
  TASKS_PER_PAGE,
  type TaskColumn,
  type TaskPage,
  type TaskPool,
  type TaskQuery,
  type TaskTableRow,
} from "../../src/shared/taskTable.ts";
import { Choice } from "../controls/choice.tsx";
import { Pages } from "../controls/dataTable.tsx";
import { Icon } from "../controls/icon.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { useAsking } from "../model/useAsking.ts";
import { NO_FILTER } from "../model/viewState.ts";
import { visibleLine } from "../text/visible.ts";

const FIRST: TaskQuery = { text: "", pool: null, column: "step", isDescending: true, page: 0 };

export function Tasks({ dashboard }: DashboardProps) {
  const [query, setQuery] = useState(FIRST);
  const { tasks, error } = useTasks(dashboard, query);
  const scrolled = useScroll(dashboard, "tasks");
  if (error !== null) return <p class="message">{error}</p>;
  if (tasks === null) return null;
  if (tasks.completed === null) {
    return (
      <div class="message">
        <h2>{l10n.t("No save yet")}</h2>
        <p>{l10n.t("The tasks appear here with the first save of the run.")}</p>
      </div>
    );
  }
  const change = (own: Partial<TaskQuery>): void => setQuery({ ...query, page: 0, ...own });
  return (
    <div class="page stack" ref={scrolled}>
      <TasksHead query={query} tasks={tasks} change={change} />
      {tasks.rows.length === 0 ? (
        <p class="message">{l10n.t("No task matches.")}</p>
      ) : (
        <div class="card flush">
          <ScrollRegion label={l10n.t("Tasks")}>
            <table class="plain">
              <caption class="visually-hidden">{l10n.t("Tasks")}</caption>
              <Heads query={query} change={change} />
              <tbody>
                {tasks.rows.map((row) => (
                  <Row key={taskId(row)} dashboard={dashboard} row={row} />
                ))}
              </tbody>
            </table>
          </ScrollRegion>
        </div>
      )}
      {tasks.matching > TASKS_PER_PAGE ? (
        <Pages
          page={tasks.page}
          pages={Math.ceil(tasks.matching / TASKS_PER_PAGE)}
          go={(page) => change({ page })}
        />
      ) : null}
    </div>
  );
}

/** Asks again after each step, and keeps the current table until the answer arrives. */
function useTasks(dashboard: DashboardModel, query: TaskQuery) {
  const [tasks, setTasks] = useState<TaskPage | null>(null);
  const [error, setError] = useState<string | null>(null);
  const run = dashboard.data.run.value;
  useAsking(
    dashboard,
    () =>
      dashboard.host.ask({ ask: "tasks", query }, (answer) => {
        if (answer.kind === "tasks") setTasks(answer.tasks);
        setError(answer.kind === "error" ? answer.message : null);
      }),
    [query, run?.completedSteps, run?.state],
  );
  return { tasks, error };
}

interface QueryProps {
  readonly query: TaskQuery;
  readonly change: (own: Partial<TaskQuery>) => void;
}

function TasksHead({ query, change, tasks }: QueryProps & { readonly tasks: TaskPage }) {
  const { counts, matching, completed } = tasks;
  const all = counts.open + counts.hard + counts.solved;
  const pools = ["all", ...TASK_POOLS] as const;
  return (
    <>
      <search class="controls wrap">
        <input
          type="search"
          class="wide"
          placeholder={l10n.t("Find a task")}
          aria-label={l10n.t("Find a task")}
          maxLength={MAX_SEARCH_LENGTH}
          value={query.text}
          onInput={({ currentTarget: { value } }) => change({ text: value })}
        />
        <Choice
          label={l10n.t("Pool")}
          value={query.pool ?? "all"}
          values={pools}
          name={(own) =>
            own === "all"
              ? l10n.t("all ({0})", formatCount(all))
              : `${poolText(own)} (${formatCount(counts[own])})`
          }
          choose={(own) => change({ pool: own === "all" ? null : own })}
        />
      </search>
      <p class="note" role="status">
        {plural(matching, "{0} task", "{0} tasks")}
        {" · "}
        {plural(completed ?? 0, "as saved after {0} step", "as saved after {0} steps")}
      </p>
    </>
  );
}

interface Column {
  readonly key: TaskColumn;
  readonly head: string;
  readonly hint?: string;
  readonly isNumber: boolean;
}

function columns(): readonly Column[] {
  return [
    { key: "name", head: l10n.t("Task"), isNumber: false },
    {
      key: "success",
      head: l10n.t("Success"),
      hint: l10n.t("Expected success of the next rollout"),
      isNumber: true,
    },
    { key: "pool", head: l10n.t("Pool"), isNumber: false },
    {
      key: "rollouts",
      head: l10n.t("Rollouts"),
      hint: l10n.t("Rollouts that count; each visit reduces the weight of earlier ones to 0.6"),
      isNumber: true,
    },
    {
      key: "tokens",
      head: l10n.t("Tokens"),
      hint: l10n.t("Mean per rollout"),
      isNumber: true,
    },
    { key: "step", head: l10n.t("Last step"), isNumber: true },
  ];
}

function Heads({ query, change }: QueryProps) {
  return (
    <thead>
      <tr>
        {columns().map(({ key, head, hint, isNumber }) => {
          const isSorted = query.column === key;
          const direction = query.isDescending ? "descending" : "ascending";
          const isDescending = isSorted ? !query.isDescending : isNumber;
          return (
            <th
              key={key}
              scope="col"
              class={isNumber ? "number" : undefined}
              aria-sort={isSorted ? direction : "none"}
            >
              <button
                type="button"
                class="sort-head"
                title={hint}
                onClick={() => change({ column: key, isDescending })}
              >
                {head}
                {isSorted ? <Icon name={query.isDescending ? "chevronDown" : "chevronUp"} /> : null}
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Row({ dashboard, row }: DashboardProps & { readonly row: TaskTableRow }) {
  const { step, success, pool, rollouts, tokens } = row;
  const show = (): void =>
    dashboard.update({
      tab: "rollouts",
      rolloutPart: "list",
      rolloutSet: { source: "training", step },
      rollout: null,
      isGrouped: true,
      filter: { ...NO_FILTER, text: taskId(row) },
    });
  return (
    <tr>
      <th scope="row" class="name">
        <button
          type="button"
          class="link"
          title={l10n.t("Show its rollouts in step {0}", step + 1)}
          onClick={show}
        >
          {shownName(row)}
        </button>
      </th>
      <td class="number">{success.toFixed(2)}</td>
      <td>{poolText(pool)}</td>
      <td class="number">{rollouts.toFixed(1)}</td>
      <td class="number">{formatCount(tokens)}</td>
      <td class="number">{formatCount(step + 1)}</td>
    </tr>
  );
}

function shownName({ environment, split, index }: TaskTableRow): string {
  return `${visibleLine(environment)} ${visibleLine(split)} ${index}`;
}

function poolText(pool: TaskPool): string {
  switch (pool) {
    case "open":
      return l10n.t("open");
    case "hard":
      return l10n.t("out of reach");
    case "solved":
      return l10n.t("solved");
  }
}
