/** Renders a stored rollout as plain text, so that two rollouts can be compared line by line. */

import { isFailedOutcome } from "../../../shared/outcome.ts";
import { askedText, type RolloutRecord } from "./rolloutRecord.ts";

type Result = RolloutRecord["turns"][number]["results"][number];

/** All messages, turn by turn; omits times and other facts that always differ. */
export function transcriptOf(record: RolloutRecord): string {
  const { systemText, turns, rewards, reward, stop, error } = record;
  const parts = [
    ...(systemText === null ? [] : [section("System", systemText)]),
    section("Prompt", askedText(record)),
    ...turns.map((turn, at) => turnText(turn, at + 1)),
    section(
      "End",
      [
        `Stop: ${stop}`,
        `Rewards: ${rewards.length === 0 ? "none" : rewards.map(String).join(", ")}`,
        `Reward: ${reward === null ? noReward(stop) : String(reward)}`,
        ...(error === null ? [] : [`Error: ${error}`]),
      ].join("\n"),
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

function turnText(turn: RolloutRecord["turns"][number], number: number): string {
  const { reasoning, content, calls, errors, results, nudge, asked } = turn;
  const isOwn = ({ agentArgs }: Result, at: number): boolean =>
    agentArgs !== undefined || at >= calls.length;
  const texts = [
    ...(asked === undefined ? [] : [section("Prompt", asked, "###")]),
    ...(reasoning === null ? [] : [section("Reasoning", reasoning, "###")]),
    ...(content.trim() === "" ? [] : [section("Model", content.trim(), "###")]),
    ...calls.flatMap(({ name, args }, at) => {
      const result = results[at];
      return [
        section(`Call ${name}`, args, "###"),
        ...(result === undefined || isOwn(result, at) ? [] : [resultText(result)]),
      ];
    }),
    ...errors.map(({ raw, message }) => section("Not a call", `${raw}\n${message}`, "###")),
    ...results.filter(isOwn).flatMap((result) => {
      const { name, agentArgs } = result;
      const call =
        agentArgs === undefined ? [] : [section(`Agent called ${name}`, agentArgs, "###")];
      return [...call, resultText(result)];
    }),
    ...(nudge === null ? [] : [section("Sent to the model", nudge, "###")]),
  ];
  return [`## Turn ${number}`, ...texts].join("\n\n");
}

function resultText({ name, text, isError, reward }: Result): string {
  const title = `${isError ? "Tool error" : "Result"} ${name}`;
  return section(title, reward === null ? text : `${text}\nReward: ${reward}`, "###");
}

function section(title: string, text: string, level = "##"): string {
  return `${level} ${title}\n\n${text}`;
}

function noReward(stop: string): string {
  return isFailedOutcome({ reward: null, stop }) ? "none, the rollout failed" : "none";
}
