/** An assistant with the official MCP client, connected to the server over a folder. */

import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { connectMcp } from "../../../src/server/mcp/mcpServer.ts";
import type { Permission } from "../../../src/server/mcp/permission.ts";
import { readFramed } from "../tools/framed.ts";

export const NOTHING: Permission = { allowed: new Set(), maxUsd: 0, origins: [], secrets: [] };

export interface Assistant {
  readonly client: Client;
  /** The framed value of an answer. @throws Error with the framed text of a refusal */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers as JSON
  ask(name: string, input?: Readonly<Record<string, unknown>>): Promise<any>;
  /** The full text of an answer or a refusal. */
  text(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** `cache` is the folder for started programs. */
export async function anAssistant(
  root: string,
  {
    permission = NOTHING,
    cache = join(root, "cache"),
    env = {},
  }: {
    readonly permission?: Permission;
    readonly cache?: string;
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Promise<Assistant> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const fileSystem = createFileSystem();
  await connectMcp(
    {
      root,
      permission,
      version: "1.2.3",
      programFolder: "dist/trainer",
      fileSystem,
      clock: systemClock,
      env: { XDG_CACHE_HOME: cache, LOCALAPPDATA: cache, ...env },
    },
    theirs,
  );
  const client = new Client({ name: "test", version: "1" });
  await client.connect(ours);
  return assistantOf(client, () => fileSystem.close());
}

export function assistantOf(client: Client, onClose: () => Promise<void>): Assistant {
  const text: Assistant["text"] = async (name, input = {}) => {
    const { content } = await client.callTool({ name, arguments: input });
    const [part] = content as readonly { readonly text?: string }[]; // each of our answers is one text
    return part?.text ?? "";
  };
  return {
    client,
    text,
    ask: async (name, input) => {
      const value = readFramed(await text(name, input));
      if (typeof value.error === "string") throw new Error(value.error);
      return value;
    },
    close: async () => {
      await client.close();
      await onClose();
    },
  };
}
