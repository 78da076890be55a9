/** Lines of a data file: calculator games in OpenAI's chat format. */

const TOOLS = ["calc", "answer"].map((name, index) => {
  const key = index === 0 ? "expr" : "value";
  const parameters = { type: "object", properties: { [key]: { type: "string" } } };
  return { type: "function", function: { name, parameters } };
});

export const GAMES = Array.from({ length: 60 }, (_, index) => {
  const expr = `${12 + index}*${3 + (index % 9)}`;
  const value = String((12 + index) * (3 + (index % 9)));
  const messages = [
    { role: "user", content: `What is ${expr}?` },
    { role: "assistant", content: null, tool_calls: [call("c1", "calc", { expr })] },
    { role: "tool", tool_call_id: "c1", content: value },
    { role: "assistant", content: null, tool_calls: [call("c2", "answer", { value })] },
  ];
  return `${JSON.stringify({ messages, tools: TOOLS })}\n`;
});

function call(id: string, name: string, args: object) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}
