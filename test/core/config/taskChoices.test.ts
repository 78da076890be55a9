import { expect, it } from "vitest";
import { withOnlyEnvironment } from "../../../src/core/config/taskChoices.ts";
import { configIn, textWithEnvironment } from "./configText.ts";

it("a single environment plays without its agent unless that is kept", () => {
  const config = configIn(
    textWithEnvironment("agent: {command: [node, agent.mjs], protocol: openai}"),
  );
  const agentOf = (keepsAgent: boolean) =>
    withOnlyEnvironment(config, "Owner/Game", { keepsAgent }).environments["Owner/Game"]?.agent;
  expect(agentOf(false)).toBeNull();
  expect(agentOf(true)).toMatchObject({ command: ["node", "agent.mjs"] });
  expect(withOnlyEnvironment(config, null).environments).toEqual({});
});
