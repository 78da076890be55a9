import { expect, it } from "vitest";
import { secretAt } from "../../../../../src/core/config/editing/edits/secretAt.ts";
import { applyEdits } from "../../../../../src/core/config/editing/text/textEdit.ts";
import { textWith } from "../../configText.ts";

it.each([
  [["secrets", "judge_key"], "JUDGE_KEY"],
  [["tinker_headers", "X-Proxy-Key"], "X_PROXY_KEY"],
])("a secret at %j is stored under the variable that it is looked up as", (path, name) => {
  const lines = (value: string) => [
    `secrets: { judge_key: ${path[0] === "secrets" ? value : null} }`,
    `tinker_headers: { X-Proxy-Key: ${path[0] === "secrets" ? null : value} }`,
  ];
  const text = textWith(...lines("hidden-words"));
  const secret = secretAt(text, path, { path: "run.yaml" });
  expect(secret).toMatchObject({ name, value: "hidden-words" });
  expect(applyEdits(text, secret?.edits ?? [])).toBe(textWith(...lines("null")));
});
