"""An agent on the official `openai` package: samples a turn, runs its tool calls in the environment, and repeats."""

import json
import os
import urllib.request

from openai import OpenAI

with open(os.environ["TINKER_RL_TASK"], encoding="utf-8") as file:
    task = json.load(file)

model = OpenAI()  # reads OPENAI_BASE_URL and OPENAI_API_KEY
headers = {"Authorization": f"Bearer {os.environ['TINKER_RL_KEY']}"}


def run(call):
    """Calls a tool of the environment over MCP, with one JSON-RPC request."""
    params = {"name": call.name, "arguments": json.loads(call.arguments)}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    request = urllib.request.Request(os.environ["TINKER_RL_MCP_URL"], body, headers)
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    return "".join(part["text"] for part in answer["result"]["content"])


messages = task["messages"]
while True:
    completion = model.chat.completions.create(
        model=os.environ["TINKER_RL_MODEL"], messages=messages, tools=task["tools"]
    )
    message = completion.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    if not message.tool_calls:
        messages.append({"role": "user", "content": "Call one of the tools."})
        continue
    for call in message.tool_calls:
        result = run(call.function)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
