/** The table of all settings, from which the manifest, `docs/vscode.md` and {@link file://./settings.ts} are derived. */

import { CONFIG_NAMES } from "../../shared/configNames.ts";
import { DASHBOARD_DEFAULTS } from "../../shared/dashboardTypes.ts";

/** Where it can be set: `machine` never in a workspace; `resource` per folder; `window` per workspace. */
export type SettingScope = "machine" | "machine-overridable" | "resource" | "window";

interface SettingBase {
  readonly does: string;
  readonly scope: SettingScope;
  /** True if a value from a folder applies only once the folder is trusted. */
  readonly restricted?: true;
}

export type SettingRow = SettingBase &
  (
    | { readonly type: "boolean"; readonly default: boolean }
    | { readonly type: "string"; readonly default: string }
    | {
        readonly type: "number" | "integer";
        readonly default: number;
        readonly minimum: number;
        readonly maximum?: number;
      }
    | { readonly type: "enum"; readonly default: string; readonly values: Words }
    | { readonly type: "words"; readonly default: readonly string[] }
    | { readonly type: "map"; readonly default: Readonly<Record<string, never>> }
  );

/** Allowed values with their descriptions. */
type Words = Readonly<Record<string, string>>;

type SettingGroup = Readonly<Record<string, SettingRow>>;

const configSettings = {
  "config.files": {
    does: "File names of configurations. `*` matches any text.",
    type: "words",
    default: CONFIG_NAMES,
    scope: "resource",
  },
  "config.schemaDiagnostics": {
    does: "Whether to report unknown keys and wrong values when another YAML extension checks the file with its own schema.",
    type: "enum",
    values: {
      auto: "Only when no other extension does so.",
      always: "Always.",
      never: "Never. Rules over several keys are still reported.",
    },
    default: "auto",
    scope: "resource",
  },
  "config.advice": {
    does: "How much advice to show on valid configurations.",
    type: "enum",
    values: {
      all: "All advice.",
      essential: "Only advice that often saves time or money.",
      off: "None. Errors are still shown.",
    },
    default: "all",
    scope: "resource",
  },
  "config.codeLens": {
    does: "Shows actions and the state of a run above the lines of a configuration.",
    type: "boolean",
    default: true,
    scope: "resource",
  },
  "config.inlayHints": {
    does: "Shows measurements of the newest run next to the keys of a configuration, such as tokens and USD per step and the remaining time.",
    type: "boolean",
    default: true,
    scope: "resource",
  },
  "config.liveCompletion": {
    does: "Whether completion may request names of environments, models and checkpoints from services.",
    type: "enum",
    values: { ask: "Ask once.", on: "Yes.", off: "No. Only known names are offered." },
    default: "ask",
    scope: "machine",
  },
  overrides: {
    does: "Values for keys of all configurations, by dotted key, such as `learning_rate`. Values of a task or a start override them.",
    type: "map",
    default: {},
    scope: "resource",
    restricted: true,
  },
} as const satisfies SettingGroup;

const runSettings = {
  "run.maxParallel": {
    does: "Maximum number of concurrent runs per window. Further runs wait.",
    type: "integer",
    default: 1,
    minimum: 1,
    maximum: 16,
    scope: "window",
  },
  "run.onQuit": {
    does: "What a run does one minute after the editor that started it closes.",
    type: "enum",
    values: {
      auto: "Hosted runs continue, local runs stop and save.",
      keepRunning: "It continues.",
      stopAndSave: "It discards the unfinished step, saves the last completed one, and stops.",
    },
    default: "auto",
    scope: "machine",
  },
} as const satisfies SettingGroup;

const serviceSettings = {
  "tinker.baseUrl": {
    does: "Address of the Tinker service. Leave empty for the official one.",
    type: "string",
    default: "",
    scope: "machine",
  },
  "openReward.baseUrl": {
    does: "Address of OpenReward. Leave empty for the official one.",
    type: "string",
    default: "",
    scope: "machine",
  },
  "openReward.environmentsUrl": {
    does: "Address of OpenReward's environments. Leave empty for the official one.",
    type: "string",
    default: "",
    scope: "machine",
  },
  "env.file": {
    does: "File with keys as `NAME=value` lines, relative to the folder.",
    type: "string",
    default: ".env",
    scope: "resource",
    restricted: true,
  },
  "env.read": {
    does: "Whether a run may read keys from that file.",
    type: "enum",
    values: {
      ask: "Ask once for each folder and file.",
      always: "Yes, if it is inside the folder; otherwise ask.",
      never: "No.",
    },
    default: "ask",
    scope: "machine",
  },
} as const satisfies SettingGroup;

const assistantSettings = {
  "mcp.allow": {
    does: "What assistants may change through the MCP server of this extension, by name: `start`, `evaluate`, `stop`, `pause`, `settings`; `commands` also lets them start configurations that run their own programs. With `start` or `evaluate`, and without `commands`, the server gets your keys from the secret store. If empty, assistants can only read. Only your user settings count.",
    type: "words",
    default: [],
    scope: "machine",
  },
  "mcp.maxUsd": {
    does: "Total budget in USD for everything an assistant starts, until its server restarts. With 0, only embedded models can be started.",
    type: "number",
    default: 0,
    minimum: 0,
    scope: "machine",
  },
} as const satisfies SettingGroup;

const displaySettings = {
  "dashboard.openOnStart": {
    does: "Where the dashboard opens when you start a run. The open dashboard shows the name of any other run that begins, such as the next run of a sweep.",
    type: "enum",
    values: {
      beside: "Next to the active editor.",
      active: "In the active group.",
      never: "Does not open it.",
    },
    default: "beside",
    scope: "window",
  },
  "dashboard.smoothing": {
    does: "Smoothing of curves with at least 100 steps in a new dashboard, from 0 (none) to 0.99. Shorter curves are raw.",
    type: "number",
    default: DASHBOARD_DEFAULTS.smoothing,
    minimum: 0,
    maximum: 0.99,
    scope: "window",
  },
  "dashboard.singleKeyShortcuts": {
    does: "Single keys such as `j` and `k` work in the dashboard. Turn this off if they interfere with a screen reader.",
    type: "boolean",
    default: DASHBOARD_DEFAULTS.hasSingleKeys,
    scope: "window",
  },
  "dashboard.liveRegion": {
    does: "A screen reader announces new steps.",
    type: "boolean",
    default: DASHBOARD_DEFAULTS.hasLiveRegion,
    scope: "window",
  },
  "trajectories.pageSize": {
    does: "Number of steps that the Trajectories view shows initially.",
    type: "integer",
    default: 50,
    minimum: 10,
    maximum: 1000,
    scope: "window",
  },
  "notifications.runFinished": {
    does: "When to show a notification for a finished run.",
    type: "enum",
    values: {
      always: "Always.",
      unfocused: "When the window has no focus or the dashboard is not visible.",
      never: "Never.",
    },
    default: "unfocused",
    scope: "window",
  },
} as const satisfies SettingGroup;

const ALL_ROWS = {
  ...configSettings,
  ...runSettings,
  ...serviceSettings,
  ...assistantSettings,
  ...displaySettings,
} as const;

type AllRows = typeof ALL_ROWS;

type ValueOf<Row> = Row extends { readonly type: "enum"; readonly values: infer Values }
  ? keyof Values
  : Row extends { readonly type: "boolean" }
    ? boolean
    : Row extends { readonly type: "number" | "integer" }
      ? number
      : Row extends { readonly type: "string" }
        ? string
        : Row extends { readonly type: "words" }
          ? readonly string[]
          : Readonly<Record<string, unknown>>;

/** An existing setting, without the prefix `tinkerRL.`. */
export type SettingKey = keyof AllRows;

/** The type of a setting's validated value. */
export type SettingValue<Key extends SettingKey> = ValueOf<AllRows[Key]>;

export interface SettingSection {
  readonly title: string;
  readonly settings: Readonly<Record<string, SettingRow>>;
}

/** All settings, in the groups and order shown in the editor. */
export const SETTING_SECTIONS: readonly SettingSection[] = [
  { title: "Configurations", settings: configSettings },
  { title: "Runs", settings: runSettings },
  { title: "Services and keys", settings: serviceSettings },
  { title: "Assistants", settings: assistantSettings },
  { title: "Dashboard and notifications", settings: displaySettings },
];
