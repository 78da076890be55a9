/** Fields of an entry of `notify`: where a message about a run is sent, and which events it reports. */

import { type FieldTable, OPTIONAL } from "./field.ts";
import { HTTP_URL } from "./serverFields.ts";

/** The events that a message can report. */
const NOTIFY_EVENTS = ["end", "failure", "alarm", "budget"] as const;

export const notifyFields = {
  webhook: {
    ...HTTP_URL,
    ...OPTIONAL,
    examples: ["http://localhost:9000/hook"],
    change: "fixed",
    doc: "Address that gets a POST request. It must not contain a key. Slack's and Discord's addresses do, so put those into a variable and name it in `webhook_variable`.",
  },
  webhook_variable: {
    type: "string",
    pattern: "^[A-Z_][A-Z0-9_]{0,99}$",
    patternMeaning: "the name of a variable, in capital letters, digits and underscores",
    ...OPTIONAL,
    examples: ["SLACK_WEBHOOK"],
    change: "fixed",
    doc: "Instead of `webhook`: the variable with the address, which is looked up in the environment and in `.env`. The address is kept like a key.",
  },
  format: {
    type: "enum",
    values: ["slack", "discord", "json"],
    ...OPTIONAL,
    change: "fixed",
    doc: "Message format of the webhook. `null` means `slack` for an address at hooks.slack.com, `discord` for one at discord.com, and `json` for any other. Mattermost and Rocket.Chat understand `slack`.",
  },
  command: {
    type: "list",
    of: { type: "string" },
    minItems: 1,
    ...OPTIONAL,
    examples: [["python", "notify.py"]],
    change: "fixed",
    doc: "Instead of a webhook: program and arguments to run, without a shell. It starts in the configuration's folder and gets the message as JSON on standard input, the text in `TINKER_RL_MESSAGE`, the kind in `TINKER_RL_EVENT`, and none of your keys. It is ended after 10 seconds.",
  },
  on: {
    type: "list",
    of: { type: "enum", values: NOTIFY_EVENTS },
    minItems: 1,
    default: NOTIFY_EVENTS,
    examples: [["end", "failure"]],
    change: "fixed",
    doc: "What to report. `end`: the run is done or was stopped. `failure`: it could not continue. `alarm`: an alarm fires. `budget`: most or all of a budget is used.",
  },
} as const satisfies FieldTable;

export const notifyField = {
  type: "list",
  of: { type: "object", fields: notifyFields },
  default: [],
  examples: [[{ webhook_variable: "SLACK_WEBHOOK" }]],
  change: "fixed",
  doc: "Where to send messages when a run ends, fails, raises an alarm or uses up a budget: [Notifications](tracking.md#notifications).",
} as const;
