import { describe, expect, it } from "vitest";
import { base } from "../../../src/core/chat/families/base.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import { playEpisode } from "./builders.ts";
import { blocks, result, scriptedSession, text } from "./scriptedEnvironment.ts";
import { encode, scriptedSampler, tokenizer } from "./scriptedModel.ts";

const chat = { renderer: createNativeRenderer(base(), tokenizer), tokenizer };
const STOP = "\n\nUser:";

describe("an episode with a base model", () => {
  it("stops at the next user line, which the sample includes, and continues after it", async () => {
    const sampler = scriptedSampler([` It is 4.${STOP}`, ` It is 5.${STOP}`]);
    const session = scriptedSession({
      terminalTool: { name: "answer", arg: "message", description: "" },
      onCall: ({ args }) =>
        args["message"] === "It is 5."
          ? result("Right.", { reward: 1, finished: true })
          : blocks([text("Wrong.")]),
    });
    const { stop, episode } = await playEpisode({ chat, session, sampler, settings: {} });
    expect(stop).toBe("reached_terminal_state");
    expect(episode.played.rewards).toEqual([1]);
    expect(session.calls).toEqual([
      ["answer", { message: "It is 4." }],
      ["answer", { message: "It is 5." }],
    ]);
    const prompt = "User: Add 2 and 3.\n\nAssistant:";
    expect(sampler.requests.map(({ stop: stops }) => stops)).toEqual([[STOP], [STOP]]);
    expect(sampler.requests.map((request) => tokenizer.decode(request.prompt))).toEqual([
      prompt,
      `${prompt} It is 4.${STOP} Wrong.\n\nAssistant:`,
    ]);
    const [ledger] = episode.streams;
    const trained = [...(ledger?.tokens ?? [])].filter((_, i) => ledger?.mask[i] === 1);
    expect(trained).toEqual([...encode(` It is 4.${STOP}`), ...encode(` It is 5.${STOP}`)]);
  });

  it("is refused with an explanation by an environment that requires tool calls", async () => {
    const sampler = scriptedSampler([""]);
    const play = playEpisode({ chat, session: scriptedSession(), sampler, settings: {} });
    await expect(play).rejects.toMatchObject({
      code: "chat-tools-uncallable",
      configPath: "chat_format",
      message: expect.stringMatching(/is played by calling tools.*chat format is native\/base/s),
    });
    expect(sampler.requests).toEqual([]);
  });
});
