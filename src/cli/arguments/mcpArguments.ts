/** Understands the words behind `mcp`. */

import { ALLOWABLE, type Permission } from "../../server/mcp/permission.ts";
import { lastValue, oneOf, refuseFurther, sending } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Programs whose entry can be written. */
const CLIENTS = ["claude", "codex", "cursor", "vscode"] as const;

export type McpClient = (typeof CLIENTS)[number];

export interface McpCommand {
  readonly kind: "mcp";
  /** Null = the working directory. */
  readonly root: string | null;
  readonly permission: Permission;
  /** The program to write an entry for; null = serve. */
  readonly client: McpClient | null;
}

/** @throws AppError `bad-arguments` */
export function mcpCommand(given: ParsedFlags): McpCommand {
  refuseFurther(given.positionals, "mcp");
  const words = (given.values.get("allow") ?? []).flatMap((text) => text.split(","));
  return {
    kind: "mcp",
    root: lastValue(given, "root") ?? null,
    permission: {
      allowed: new Set(
        words.filter((word) => word !== "").map((word) => oneOf(ALLOWABLE, word, "allow", "mcp")),
      ),
      maxUsd: maxUsd(given),
      origins: sending(given, "mcp").allowedOrigins,
      secrets: (given.values.get("allow-secret") ?? []).flatMap((text) =>
        text.split(",").map((name) => name.toUpperCase()),
      ),
    },
    client: client(given),
  };
}

function client(given: ParsedFlags): McpClient | null {
  const word = lastValue(given, "install");
  return word === undefined ? null : oneOf(CLIENTS, word, "install", "mcp");
}

function maxUsd(given: ParsedFlags): number {
  const text = lastValue(given, "max-usd") ?? "0";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw argumentError(`--max-usd is ${JSON.stringify(text)}, not an amount such as 5`, "mcp");
}
