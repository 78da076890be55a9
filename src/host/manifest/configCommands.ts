/** Commands for configurations and their environments. */

import {
  type CommandFamily,
  configMenus,
  onRow,
  rowMenus,
  titleMenu,
  WITH_CONFIG,
} from "./commandRow.ts";

/** File types for datasets. */
const ON_DATA = "resourceExtname =~ /^\\.(jsonl|csv|parquet)$/i";
const ON_EXAMPLES = "resourceExtname =~ /^\\.jsonl$/i";
const ENVIRONMENT = onRow("environments", "environment");
const TASK = onRow("environments", "environmentTask");
const STOPPED_SERVER = onRow("environments", "serverStopped");
const STARTED_SERVER = onRow("environments", "serverStarted");

export const configCommands = {
  newConfig: {
    title: "New Configuration…",
    does: "Creates a configuration from a template.",
    icon: "new-file",
    menus: [{ menu: "file/newFile", group: "file" }],
  },
  trainOnDataset: {
    title: "Train on This Dataset…",
    does: "Creates a configuration that trains on the questions of a JSONL, CSV or Parquet file.",
    palette: ON_DATA,
    icon: "table",
    menus: [{ menu: "explorer/context", when: ON_DATA, group: "tinkerRL@1" }],
  },
  validateConfig: {
    title: "Validate Configuration",
    does: "Checks a configuration and lists its problems in the Problems view.",
    palette: WITH_CONFIG,
    icon: "check",
    menus: configMenus({ "editor/context": "tinkerRL@3", "explorer/context": "tinkerRL@4" }),
  },
  showEffectiveConfig: {
    title: "Show Effective Configuration",
    does: "Compares a configuration with what a run would use: defaults and overrides filled in.",
    palette: WITH_CONFIG,
    icon: "diff",
    menus: configMenus({ "editor/context": "tinkerRL@4" }),
  },
  previewPrompt: {
    title: "Preview Prompt",
    does: "Shows the first prompt of a task as the model reads it, its length, and an example of a call and its result. Nothing is trained.",
    palette: WITH_CONFIG,
    icon: "open-preview",
    needsTrust: true,
    menus: configMenus({
      "editor/title": "navigation@2",
      "editor/context": "tinkerRL@5",
      "explorer/context": "tinkerRL@5",
    }),
  },
  newEnvironment: {
    title: "New Environment…",
    does: "Writes a new Python environment from a template, and adds it to the configuration.",
    palette: "workspaceFolderCount > 0",
    icon: "add",
    needsTrust: true,
    menus: [{ menu: "file/newFile", group: "file" }, titleMenu("environments", "navigation@0")],
  },
  addOwnEnvironment: {
    title: "Add to Configuration…",
    does: "Adds the environment of a Python file to the configuration, with the command that starts its server. Above its class.",
    palette: false,
    needsTrust: true,
  },
  playEnvironment: {
    title: "Play Environment…",
    does: "Opens a tab in which you are the model in one task, with a form for each call.",
    palette: WITH_CONFIG,
    icon: "debug-start",
    needsTrust: true,
    menus: [
      ...rowMenus(ENVIRONMENT, "1_use@2"),
      ...configMenus({ "editor/context": "tinkerRL@6" }),
    ],
  },
  checkEnvironment: {
    title: "Check Environment",
    does: "Plays an environment without a model, and reports in a terminal what would harm training.",
    palette: WITH_CONFIG,
    icon: "checklist",
    needsTrust: true,
    menus: [
      ...rowMenus(ENVIRONMENT, "1_use@3"),
      ...configMenus({ "editor/context": "tinkerRL@7" }),
    ],
  },
  addEnvironment: {
    title: "Add Environment to Config…",
    does: "Inserts an environment into the open configuration.",
    palette: WITH_CONFIG,
    icon: "add",
    menus: rowMenus(ENVIRONMENT, "inline@1", "1_use@1"),
  },
  addDataSource: {
    title: "Add Data Source…",
    does: "Adds a file of conversations, or rollouts of a run, to the `data` of a configuration, which then trains by imitation (`method: sft`).",
    palette: WITH_CONFIG,
    icon: "add",
    menus: configMenus({ "editor/context": "tinkerRL@8" }),
  },
  readExamples: {
    title: "Read Examples…",
    does: "Opens a JSONL file of conversations in the dashboard, to read them like rollouts. From a configuration's source, also shows their tokens, with the trained ones marked.",
    icon: "book",
    needsTrust: true,
    menus: [{ menu: "explorer/context", when: ON_EXAMPLES, group: "tinkerRL@2" }],
  },
  startServer: {
    title: "Start Server",
    does: "Starts the environment's own server for as long as the window is open, and again when its Python code is saved. A run stops it and starts one of its own.",
    palette: false,
    icon: "play",
    needsTrust: true,
    menus: rowMenus(STOPPED_SERVER, "inline@0", "0_server@1"),
  },
  stopServer: {
    title: "Stop Server",
    does: "Stops the environment's own server that the window started.",
    palette: false,
    icon: "debug-stop",
    needsTrust: true,
    menus: rowMenus(STARTED_SERVER, "inline@0", "0_server@1"),
  },
  showServerLog: {
    title: "Show Server Log",
    does: "Opens what the environment's own server has printed since the window first started it.",
    palette: false,
    icon: "output",
    menus: rowMenus(`${ENVIRONMENT} && viewItem =~ /\\bown\\b/`, "0_server@2"),
  },
  playTask: {
    title: "Play This Task",
    does: "Opens a tab in which you are the model in this task, with a form for each call.",
    palette: false,
    icon: "debug-start",
    needsTrust: true,
    menus: rowMenus(TASK, "inline@1", "1_use@1"),
  },
  showMoreTasks: {
    title: "Show More Tasks",
    does: "Lists 20 more tasks of a split in the Environments view.",
    palette: false,
  },
  showTaskPrompt: {
    title: "Show Prompt",
    does: "Shows the first prompt of this task as the model reads it.",
    palette: false,
    icon: "open-preview",
    needsTrust: true,
    menus: rowMenus(TASK, "inline@0", "1_use@2"),
  },
  openEnvironmentPage: {
    title: "Open Environment Page",
    does: "Opens the web page of an environment.",
    icon: "link-external",
    palette: false,
    menus: rowMenus(`${ENVIRONMENT} && viewItem =~ /\\bhosted\\b/`, "2_open@1"),
  },
  openDeploymentLogs: {
    title: "Open Deployment Logs",
    does: "Opens what the newest deployment of your environment at OpenReward printed, and its build.",
    palette: false,
    icon: "output",
    needsTrust: true,
    menus: rowMenus(`${ENVIRONMENT} && viewItem =~ /\\bhosted\\b/`, "2_open@2"),
  },
  openOpenRewardAccount: {
    title: "Open OpenReward Account",
    does: "Opens the web page of your OpenReward account, with keys and credit.",
    palette: false,
  },
  refreshEnvironments: {
    title: "Refresh Environments",
    does: "Reloads the environments of OpenReward and of your configurations.",
    icon: "refresh",
    needsTrust: true,
    menus: [titleMenu("environments", "navigation@1")],
  },
} as const satisfies CommandFamily;
