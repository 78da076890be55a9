/** Calls written in each format, read by its parser, and run by a server of the official package: the intended arguments arrive. */

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { exampleArguments } from "../../../src/core/chat/exampleArguments.ts";
import { declareTool } from "../../../src/core/chat/firstPrompt.ts";
import type { Renderer, ToolDeclaration } from "../../../src/core/chat/renderer.ts";
import { callingTurn } from "../../../src/core/chat/writtenTurn.ts";
import type { EnvironmentSession, ToolList } from "../../../src/core/openreward/types.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  parseExactJson,
  sortKeys,
  writeExactJson,
} from "../../../src/core/util/exactJson.ts";
import { createHttpClient } from "../../../src/node/http.ts";
import { environmentsAt } from "../environmentsAt.ts";
import { type OfficialServer, startPythonServer } from "../openrewardKit.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { addTally } from "../tally.ts";
import { type ArgumentCase, CASES } from "./argumentCases.ts";
import { hasKitTokenizers } from "./kitTokenizers.ts";
import { comparedProfiles, rendererOf } from "./profiles.ts";
import { readFamily } from "./vectors.ts";

const SERVER = fileURLToPath(new URL("argumentsServer.py", import.meta.url));
const python = inject("python");
const http = createHttpClient();

/** Writes a call in the format and reads it back; describes the error if the result is not one call. */
function writtenAndRead(renderer: Renderer, tools: readonly ToolDeclaration[], call: ArgumentCase) {
  const turn = renderer.writeTurn(callingTurn({ name: call.tool, args: call.args }, null));
  const { calls, errors } = renderer.parse(turn, tools);
  const [read] = calls;
  if (read !== undefined && calls.length === 1 && errors.length === 0) return read;
  return JSON.stringify({ calls, errors });
}

/** A renderer of each format of the family that supports tools, by name. */
async function formatsOf(family: string): Promise<ReadonlyMap<string, Renderer>> {
  const formats = new Map<string, Renderer>();
  for (const [profile, facts] of comparedProfiles(readFamily(family)).compared) {
    const renderer = await rendererOf(profile, facts);
    if (renderer.callsTools !== false) formats.set(renderer.id.split("/")[1] ?? "", renderer);
  }
  return formats;
}

/** The arguments that the tool received, or its rejection. */
async function sent(session: EnvironmentSession, name: string, args: ExactJsonObject) {
  const outcome = await session.callTool(name, args);
  if (outcome.kind === "rejected") return outcome.error;
  const [block] = outcome.blocks;
  return parseExactJson(block?.type === "text" ? block.text : "null");
}

function text(value: ExactJson): string {
  return writeExactJson(sortKeys(value));
}

describe.runIf(hasKitTokenizers && python !== null)("arguments in an official environment", () => {
  let server: OfficialServer;
  let session: EnvironmentSession;
  let list: ToolList;
  beforeAll(async () => {
    server = await startPythonServer(python ?? "", [SERVER]);
    session = await environmentsAt(server.url, http)
      .environment("local/arguments")
      .openSession({ split: "train", index: 0 });
    list = await session.tools();
  });
  afterAll(async () => {
    await session?.close();
    server?.stop();
    await http.close();
  });

  it("are accepted when generated from the schema", async () => {
    for (const { name, inputSchema } of list.tools) {
      const args = exampleArguments(inputSchema ?? {});
      expect(await sent(session, name, args), `${name} ${text(args)}`).toBeTypeOf("object");
    }
  });

  /** One request for equal arguments, which most formats parse alike. */
  const answers = new Map<string, Promise<ExactJson>>();
  const answerTo = (name: string, args: ExactJsonObject): Promise<ExactJson> => {
    const key = `${name} ${text(args)}`;
    const answer = answers.get(key) ?? sent(session, name, args);
    answers.set(key, answer);
    return answer;
  };

  it.for(CHAT_FAMILIES.filter((family) => family !== "base"))(
    "arrive as intended by a model of family %s",
    async (name, context) => {
      const tools = list.tools.map(declareTool);
      const formats = await formatsOf(name);
      const differences: string[] = [];
      for (const [format, renderer] of formats) {
        for (const call of CASES) {
          const { tool, args, arrives = args } = call;
          const declared = tools.filter(({ function: { name: known } }) => known === tool);
          const read = writtenAndRead(renderer, declared, call);
          const got = typeof read === "string" ? read : await answerTo(read.name, read.args);
          if (text(got) === text(arrives)) continue;
          differences.push(
            `${format}: ${tool} ${text(args)} arrived as ${text(got).slice(0, 400)}`,
          );
        }
      }
      addTally(context, { checks: formats.size * CASES.length, differences, explained: [] });
      expect(differences.slice(0, 3), `${differences.length} differ`).toEqual([]);
    },
  );
});
