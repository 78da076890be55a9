/** Prints template values like Python's `str`, since templates written for Python put lists and booleans into text that way. */

/** `value` is what the engine passes to functions: plain values, and lists and maps whose items are boxed with their type. */
export function pythonText(value: unknown): string {
  return typeof value === "string" ? value : notation(value);
}

/** The same for a boxed value of the engine. */
export function boxedText(box: { readonly type: string; readonly value: unknown }): string {
  return box.type === "FloatValue" ? String(box) : pythonText(unboxed(box));
}

function notation(value: unknown): string {
  if (value === undefined) return "";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => notation(unboxed(item))).join(", ")}]`;
  if (value instanceof Map) {
    const members = [...value].map(([key, item]) => `${notation(key)}: ${notation(unboxed(item))}`);
    return `{${members.join(", ")}}`;
  }
  return String(value);
}

function unboxed(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  // The engine's box for null holds no value.
  if ("type" in item && item.type === "NullValue") return null;
  return "value" in item ? item.value : item;
}

/** Single quotes, unless the text contains single quotes and no double ones. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  if (text.includes("'") && !text.includes('"')) return `"${escaped}"`;
  return `'${escaped.replaceAll("'", "\\'")}'`;
}
