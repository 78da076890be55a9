/** Rollouts in differently built chat formats, in replay and token view: messages with channels, and markers around calls. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { GPT_OSS_TOKENS, KIMI_TOKENS } from "../../fixtures/controlTokens.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { writeByteTokenizer, writeFormatRun } from "../formatRun.ts";
import { type Journey, type Stage, until } from "../journey.ts";

const CALL_SECTION = ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"];
const kimiCall = (id: string, args: string): string =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const kimiTurn = (thought: string, text: string, call?: string): string =>
  `${thought}</think>${text}${call === undefined ? "" : CALL_SECTION.join(call)}<|im_end|>`;
const analysis = (thought: string): string =>
  `<|channel|>analysis<|message|>${thought}<|end|><|start|>assistant`;
const harmonyCall = (name: string, args: string): string =>
  ` to=functions.${name}<|channel|>commentary <|constrain|>json<|message|>${args}<|call|>`;

const RUNS = [
  {
    name: "channels",
    model: "openai/gpt-oss-20b",
    added: GPT_OSS_TOKENS,
    retention: "template",
    turns: [
      `${analysis("Add them.")}<|channel|>commentary<|message|>I add **both**.<|end|><|start|>assistant${harmonyCall("add", '{"a": 2}')}`,
      analysis("Answer now.") + harmonyCall("answer", '{"value": 5'),
      `${analysis("Say it.")}<|channel|>final<|message|>It is 5.<|return|>`,
      analysis("Call it.") + harmonyCall("answer", '{"value": 5}'),
    ],
    reason: "The arguments of the tool call are not valid JSON. Send one JSON object",
    shown: ["<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"],
  },
  {
    name: "markers",
    model: "moonshotai/Kimi-K2.6",
    added: KIMI_TOKENS,
    turns: [
      kimiTurn("Add them.", "I add **both**.", kimiCall("functions.add:0", '{"a": 2}')),
      kimiTurn("Answer now.", "", kimiCall("functions.answer:1", '{"value": 5')),
      kimiTurn("Say it.", "It is 5."),
      kimiTurn("Call it.", "", kimiCall("functions.answer:2", '{"value": 5}')),
    ],
    reason: "The arguments of the tool call are not valid JSON. Open the section of the calls",
    shown: [...CALL_SECTION, "<|tool_call_argument_begin|>", "<|im_end|>", "</think>"],
  },
] as const;

export const chatFormats: Journey = {
  name: "chatFormats",
  prepare: async (folder) => {
    writeFiles(folder, { "tinker-config.yaml": localConfig() });
    for (const { added, ...run } of RUNS) {
      const tokenizer = join(folder, `${run.name}-tokenizer`);
      writeByteTokenizer(tokenizer, added);
      await writeFormatRun(join(folder, ".tinker-rl", "runs"), { ...run, tokenizer });
    }
  },
  async run(stage) {
    const { workbench, step } = stage;
    await workbench.show("Tinker RL");
    for (const run of RUNS) {
      await step(`${run.name}: the replay shows the parsed turns`, () => replay(stage, run));
      await step(`${run.name}: each control token is one token, without a line break inside`, () =>
        tokens(stage, run),
      );
    }
  },
};

type Run = (typeof RUNS)[number];

async function replay({ workbench, picture }: Stage, { name, reason }: Run): Promise<void> {
  const panel = workbench.panel();
  await workbench.row(new RegExp(`^run ${name}, `)).click();
  await panel.getByRole("tab", { name: "Rollouts" }).click();
  await panel.locator("option:checked", { hasText: name }).waitFor({ state: "attached" });
  await panel.getByRole("gridcell", { name: "1.1", exact: true }).click();
  // The previous rollout's view stays selected.
  await panel.getByRole("button", { name: "Markdown", exact: true }).click();
  await panel.locator(".reward-footer").waitFor();
  const turns = panel.locator(".turn");
  assert.equal(await turns.locator("details > summary").count(), 4, "reasoning of each turn");
  await turns.nth(0).locator("strong", { hasText: "both" }).waitFor();
  await turns.nth(0).getByText("Call add", { exact: true }).waitFor();
  await turns.nth(0).getByText("Result add", { exact: true }).waitFor();
  const broken = turns.nth(1);
  await broken.getByText("Not a call", { exact: true }).waitFor();
  assert.equal(await broken.getByText(reason).count(), 1, "the reason, once");
  assert.match((await turns.nth(2).textContent()) ?? "", /It is 5\.\s*Sent to the model/);
  await turns.nth(3).getByText("Call answer", { exact: true }).waitFor();
  assert.doesNotMatch((await turns.nth(0).textContent()) ?? "", /<\|/);
  const breaks = await panel.locator(".stream-break").count();
  assert.equal(breaks > 0, name === "channels", "streams");
  await picture(`${name}-replay`);
}

async function tokens({ workbench, pictures }: Stage, { shown, name }: Run): Promise<void> {
  const panel = workbench.panel();
  await panel
    .getByRole("article", { name: "Replay" })
    .getByRole("button", { name: "Tokens" })
    .click();
  const boxes = panel.getByRole("listbox", { name: "Tokens" });
  await boxes.waitFor();
  const streams = panel.getByLabel("Stream");
  const texts: string[] = [];
  let before = "";
  const options = await streams.locator("option").count();
  for (let stream = 0; stream < Math.max(1, options); stream += 1) {
    if (options > 0) await streams.selectOption({ index: stream });
    before = await until(`the tokens of stream ${stream + 1}`, async () => {
      const text = (await boxes.textContent()) ?? "";
      return text !== before && text.includes(shown[0]) ? text : null;
    });
    texts.push(...(await boxes.locator(".token[data-masked='false']").allTextContents()));
    const broken = await boxes
      .locator(".token")
      .evaluateAll((all) => all.filter((box) => box.getClientRects().length > 1).length);
    assert.equal(broken, 0);
  }
  for (const token of shown)
    assert.ok(
      texts.some((text) => text.endsWith(token)),
      token,
    );
  await pictures(`${name}-tokens`);
}
