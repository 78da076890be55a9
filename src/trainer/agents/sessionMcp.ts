/** The tools of a rollout's session over the Model Context Protocol, one request at a time: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports */

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestParamsSchema,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { SessionTools, ToolReply } from "../../core/agents/agent.ts";
import { argumentsSchema } from "../../core/chat/reference.ts";
import { errorMessage } from "../../core/errors.ts";
import { mediaType } from "../../core/images/imageFile.ts";
import {
  type ExactJsonObject,
  isExactObject,
  parseExactJson,
  plainJson,
  writeExactJson,
} from "../../core/util/exactJson.ts";
import type { Reply } from "../../local/http/reply.ts";
import type { ServiceRequest } from "../../local/http/router.ts";

/** The SDK answers non-object arguments with an internal error, so they are read from the message itself. */
const callSchema = CallToolRequestSchema.extend({
  params: CallToolRequestParamsSchema.omit({ arguments: true }),
});

/** Answers one MCP message of an agent. */
export async function answerMcp(
  tools: SessionTools,
  request: ServiceRequest,
  version: string,
): Promise<Reply> {
  const server = new Server({ name: "environment", version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.all.map(toolOf) }));
  server.setRequestHandler(callSchema, ({ params }, { requestId }) =>
    call(tools, params.name, () => exactArguments(request.body, requestId)),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const response = await transport.handleRequest(webRequest(request));
    const body = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, contentType: response.headers.get("content-type"), body };
  } finally {
    await server.close();
  }
}

function webRequest(request: ServiceRequest): Request {
  return new Request("http://localhost/", {
    method: "POST",
    headers: {
      // Clients that do not use the SDK may send other headers; the answer is JSON in any case.
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": request.header("mcp-protocol-version") || "2025-06-18",
    },
    body: request.body,
  });
}

function toolOf(tool: SessionTools["all"][number]): Tool {
  const { name, description } = tool;
  const schema = JSON.parse(writeExactJson(argumentsSchema(tool)));
  return { name, description, inputSchema: { ...schema, type: "object" } };
}

function contentOf(part: ToolReply["parts"][number]): CallToolResult["content"][number] {
  if (typeof part === "string") return { type: "text", text: part };
  return { type: "image", data: part.base64, mimeType: mediaType(part) };
}

/**
 * Arguments of the call with this id, with exact numbers; the SDK parses them as doubles. @throws TooDeepError, McpError for non-objects
 */
function exactArguments(body: Uint8Array, id: string | number): ExactJsonObject {
  const sent = parseExactJson(new TextDecoder().decode(body));
  const messages = Array.isArray(sent) ? sent : [sent];
  const found = messages.filter(isExactObject).find((each) => plainJson(each["id"] ?? null) === id);
  const params = found?.["params"];
  const given = isExactObject(params) ? params["arguments"] : undefined;
  // Some clients send null for a tool without parameters.
  if (given === undefined || given === null) return {};
  if (isExactObject(given)) return given;
  throw new McpError(
    ErrorCode.InvalidParams,
    "params.arguments is not an object. Parse the arguments of a call of OpenAI's API, which are JSON text, before you send them.",
  );
}

async function call(
  tools: SessionTools,
  name: string,
  input: () => ExactJsonObject,
): Promise<CallToolResult> {
  try {
    const { parts, isError } = await tools.call(name, input());
    return { content: (parts.length === 0 ? [""] : parts).map(contentOf), isError };
  } catch (error) {
    if (error instanceof McpError) throw error;
    return { content: [{ type: "text", text: errorMessage(error) }], isError: true };
  }
}
