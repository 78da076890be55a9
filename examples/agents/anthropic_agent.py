"""An agent on the official `anthropic` package: samples a turn, runs its tool calls in the environment, and repeats."""

import json
import os
import urllib.request

from anthropic import Anthropic

with open(os.environ["TINKER_RL_TASK"], encoding="utf-8") as file:
    task = json.load(file)

model = Anthropic()  # reads ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY
headers = {"Authorization": f"Bearer {os.environ['TINKER_RL_KEY']}"}


def run(call):
    """Calls a tool of the environment over MCP, with one JSON-RPC request."""
    params = {"name": call.name, "arguments": call.input}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    request = urllib.request.Request(os.environ["TINKER_RL_MCP_URL"], body, headers)
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    return "".join(part["text"] for part in answer["result"]["content"])


functions = [tool["function"] for tool in task["tools"]]
tools = [
    {"name": f["name"], "description": f["description"], "input_schema": f["parameters"]}
    for f in functions
]
messages = task["messages"]
while True:
    message = model.messages.create(
        model=os.environ["TINKER_RL_MODEL"], max_tokens=4096, messages=messages, tools=tools
    )
    messages.append({"role": "assistant", "content": message.content})
    calls = [block for block in message.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": c.id, "content": run(c)} for c in calls]
    messages.append({"role": "user", "content": results or "Call one of the tools."})
