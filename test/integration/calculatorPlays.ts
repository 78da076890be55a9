/** Hand-written style demonstrations for the calculator. */

const TOOL = (name: string, parameter: string, type: string) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { [parameter]: { type } } } },
});

/** Scripted calculator conversations in OpenAI's format. */
export function calculatorPlays(count: number): string {
  const call = (id: string, name: string, args: object) => {
    const own = { name, arguments: JSON.stringify(args) };
    return {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: own }],
    };
  };
  const tools = [TOOL("calc", "expr", "string"), TOOL("answer", "value", "integer")];
  const lines = Array.from({ length: count }, (_, i) => {
    const [a, b] = [10 + ((7 * i) % 90), 10 + ((13 * i) % 90)];
    const messages = [
      { role: "user", content: `What is ${a}+${b}?` },
      call("c1", "calc", { expr: `${a}+${b}` }),
      { role: "tool", tool_call_id: "c1", content: String(a + b) },
      call("c2", "answer", { value: a + b }),
    ];
    return JSON.stringify({ messages, tools });
  });
  return `${lines.join("\n")}\n`;
}
