import { expect, it } from "vitest";
import { ChatPlayer } from "../../../src/core/play/chatPlayer.ts";
import type { PlayerView } from "../../../src/core/play/player.ts";
import { systemRandom } from "../../../src/node/random.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { FakeHttp, jsonBody } from "../../fakes/fakeHttp.ts";

const VIEW = {
  turn: 0,
  text: "",
  problem: null,
  tools: { tools: [], terminalTool: null, supportsGroupScoring: false, messageBlockTypes: [] },
};

it("a model behind an address reads only the conversation that it continues", async () => {
  const http = new FakeHttp(() => ({ json: { choices: [{ message: { content: "Fine." } }] } }));
  const player = new ChatPlayer({
    http,
    clock: new FakeClock(),
    random: systemRandom,
    url: "http://localhost/v1",
    model: "any",
    key: null,
  });
  const user = (content: string) => ({ role: "user", content }) as const;
  const hear = (content: string, isNew: boolean) => {
    const view: PlayerView = { ...VIEW, news: [user(content)], isNew };
    return player.move(view, undefined);
  };
  await hear("Play.", true);
  await hear("Go on.", false);
  await hear("Judge.", true);
  expect(http.requests.map((request) => jsonBody(request)["messages"])).toEqual([
    [user("Play.")],
    [user("Play."), { role: "assistant", content: "Fine." }, user("Go on.")],
    [user("Judge.")],
  ]);
});
