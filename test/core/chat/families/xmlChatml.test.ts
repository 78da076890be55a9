import { describe, expect, it } from "vitest";
import { XML_CALLS } from "../../../../src/core/chat/families/xmlChatml.ts";
import type { ToolDeclaration } from "../../../../src/core/chat/renderer.ts";
import type { ExactJsonObject } from "../../../../src/core/util/exactJson.ts";

function tool(properties: ExactJsonObject): ToolDeclaration {
  const parameters = { type: "object", properties };
  return { type: "function", function: { name: "edit", description: "", parameters } };
}

const TEXT = { type: "string" };
const EDIT = tool({ path: TEXT, text: { anyOf: [TEXT, { type: "null" }] }, line: {} });

function read(parameters: string, tools: readonly ToolDeclaration[] = [EDIT]) {
  return XML_CALLS.read(`\n<function=edit>\n${parameters}\n</function>\n`, "raw", tools);
}

describe("a parameter value", () => {
  it("loses only one line break on either side", () => {
    const written = "<parameter=text>\n\n  a \n\n</parameter><parameter=path>b</parameter>";
    expect(read(written)).toMatchObject({ call: { args: { text: "\n  a \n", path: "b" } } });
    expect(read("<parameter=text>\n\n</parameter>")).toMatchObject({
      call: { args: { text: "" } },
    });
  });

  it("ends at the closing tag before another parameter or the end of the call", () => {
    const text = "a </parameter> b\n</parameter>\n</function>\n<parameter=path";
    const written = `<parameter=text>\n${text}\n</parameter>\n<parameter=path>\nc\n</parameter>`;
    expect(read(written)).toMatchObject({ call: { args: { text, path: "c" } } });
  });

  it("keeps tags that it closes itself, and tags of parameters that are set elsewhere", () => {
    const text = "<parameter=path>\nx\n</parameter> and <parameter=text>";
    expect(read(`<parameter=text>\n${text}\n</parameter>`)).toMatchObject({
      call: { args: { text } },
    });
    const said = "<parameter=path>\nis the file.";
    expect(
      read(`<parameter=path>\nx\n</parameter>\n<parameter=text>\n${said}\n</parameter>`),
    ).toMatchObject({ call: { args: { path: "x", text: said } } });
  });

  it.each([
    ["on a line of its own", "<parameter=text>\na\n<parameter=path>\nb\n</parameter>"],
    ["within a line", "<parameter=text>a<parameter=path>b</parameter>"],
    [
      "behind others",
      "<parameter=line>\n1\n</parameter>\n<parameter=text>\na\n<parameter=path>\nb\n</parameter>",
    ],
  ])("never swallows the next parameter when its own tag is not closed, %s", (_where, written) => {
    expect(read(written)).toMatchObject({
      kind: "error",
      error: { kind: "unclosed_argument", message: expect.stringContaining("text") },
    });
  });

  it("may contain many closing tags", () => {
    const text = "</parameter>".repeat(50_000);
    const reading = read(`<parameter=text>\n${text}\n</parameter>`);
    expect(reading.kind === "call" && reading.call.args["text"] === text).toBe(true);
  });
});
