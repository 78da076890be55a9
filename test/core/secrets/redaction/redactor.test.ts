import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";

function redactorOf(...values: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const value of values) redactor.learn(value);
  return redactor;
}

test("a learned value is replaced raw, in URLs, in forms, and inside JSON text", () => {
  const secret = 'pass "word"/+ä';
  const redactor = redactorOf(secret);
  const forms = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ key: secret }).toString(),
    JSON.stringify({ key: secret }),
  ];
  for (const form of forms) expect(redactor.redact(form)).toContain("***");
});

test("a learned value is replaced whichever characters an encoder leaves as they are, with digits in either case", () => {
  const secret = "it's (a) key/~ß*";
  const redactor = redactorOf(secret);
  const bytes = Buffer.from(secret).toString("hex");
  const percent = bytes.replace(/../g, "%$&");
  const forms = [
    encodeURI(secret),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    ...[bytes, percent].flatMap((form) => [form, form.toUpperCase()]),
  ];
  for (const form of forms) expect(redactor.redact(`<${form}>`)).toBe("<***>");
});

test("a learned value is replaced in JSON within JSON, within base64, and in ASCII-only JSON", () => {
  const secret = 'a "quoted" \\ keyß';
  const redactor = redactorOf(secret);
  const once = JSON.stringify({ key: secret });
  const ascii = once.replace("ß", "\\u00df");
  const forms = [JSON.stringify(once), ascii, btoa(ascii), Buffer.from(once).toString("base64url")];
  for (const form of forms) {
    expect(redactor.redact(form)).toContain("***");
  }
});

test("base64 is recognized at every offset of the value in the encoded text", () => {
  const secret = "tml-0123456789";
  const redactor = redactorOf(secret);
  for (const user of ["", "a", "ab", "abc", "api:"]) {
    for (const encoding of ["base64", "base64url"] as const) {
      const header = Buffer.from(`${user}${secret}@`).toString(encoding);
      const cleaned = redactor.redact(`Basic ${header}`);
      expect(cleaned).toContain("***");
      expect(Buffer.from(cleaned.slice(6), encoding).toString()).not.toContain(secret.slice(2, -2));
    }
  }
});

test("no digit of the value remains in multi-line base64, wherever lines break", () => {
  const secret = "tml-0123456789abcdef";
  const redactor = redactorOf(secret);
  for (const between of ["\n", "\r\n", "\r", "\n\n", " \n\t", "\n> ", "\n# ", "' \\\n  '", " "]) {
    for (const width of [4, 7, 16, 76]) {
      for (const before of ["", "a", "ab:"]) {
        const digits = btoa(`${before}${secret} and so on`).replace(/=/g, "");
        const lines = digits.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
        const parts = redactor.redact(lines.join(between)).split("***");
        const [head = 0, tail = 0] = parts.map((part) => part.replaceAll(between, "").length);
        expect(parts).toHaveLength(2);
        expect(head).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6));
        const end = Math.floor(((before.length + secret.length) * 8) / 6);
        expect(tail).toBeLessThanOrEqual(digits.length - end);
      }
    }
  }
});

test("hexadecimal digits are recognized with separators and prefixes between the bytes", () => {
  const secret = "tml-0123456789";
  const redactor = redactorOf(secret);
  const bytes = Buffer.from(secret).toString("hex").match(/../g) ?? [];
  const words = Buffer.from(secret).toString("hex").match(/..../g) ?? [];
  const forms = [bytes.join(":"), bytes.join(" "), bytes.join("-"), bytes.join(",\n  ")];
  for (const form of [...forms, words.join(" "), `${bytes.join(" 0x")}`]) {
    expect(redactor.redact(`[${form.toUpperCase().replaceAll("0X", "0x")}]`)).toBe("[***]");
    expect(redactor.redact(`[${form}]`)).toBe("[***]");
  }
  expect(redactor.redact(`[0x${bytes.join(", 0x")}]`)).toBe("[0x***]");
});

test("a value is found without the line ending of its file", () => {
  expect(redactorOf("tml-0123456789\r\n").redact("[tml-0123456789]")).toBe("[***]");
});

test("a value with several lines is found when indented or when one line is alone", () => {
  const lines = ["MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB", "AQC7"];
  const redactor = redactorOf(lines.join("\n"));
  expect(redactor.redact(lines.join("\n    "))).toBe("***\n    ***\n    AQC7");
  expect(redactor.redact(`line 2: ${lines[1]}`)).toBe("line 2: ***");
});

test("short values are ignored, since they would blank out ordinary text", () => {
  expect(redactorOf("true", "12345").redact("true 12345")).toBe("true 12345");
});

test("keys, strings, and numbers in JSON are cleaned, and the structure is kept", () => {
  const redactor = redactorOf("sk-abcdef", "12345678");
  expect(
    redactor.redactJson({
      "sk-abcdef": [1, null, { pin: 12345678, text: "my sk-abcdef" }],
      ok: true,
    }),
  ).toEqual({ "***": [1, null, { pin: "***", text: "my ***" }], ok: true });
});

const secret = fc.string({ minLength: 6, maxLength: 20, unit: "grapheme" });

test("no learned value gets through, not even one created by removing another", () => {
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(fc.string()),
      (values, rest) => {
        const redactor = redactorOf(...values);
        const pieces = [...values, ...rest, ...values.map(encodeURIComponent), ...values];
        const cleaned = redactor.redact(pieces.join(rest[0] ?? ""));
        for (const value of values) expect(cleaned).not.toContain(value);
        for (const value of values) expect(cleaned).not.toContain(encodeURIComponent(value));
      },
    ),
  );
  expect(redactorOf("abcdef", "x***yz").redact("xabcdefyz")).toBe("***");
});

test("text without learned values is unchanged", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]*$/), (text) => {
      expect(redactorOf("0123456789").redact(text)).toBe(text);
    }),
  );
});

test("a record keeps its structure: only text, secret integers, and foreign keys change", () => {
  const redactor = redactorOf("sk-abcdef", "12345678", "environment");
  const record = {
    environment: "local/x",
    durationMs: 0.12345678,
    turns: [{ text: "my sk-abcdef", args: { pin: 12345678, "sk-abcdef": null } }],
  };
  expect(redactor.redactRecord(record)).toEqual({
    environment: "local/x",
    durationMs: 0.12345678,
    turns: [{ text: "my ***", args: { pin: "***", "***": null } }],
  });
});

test("an error is cleaned with its causes and keeps its type", () => {
  const redactor = redactorOf("sk-abcdef");
  const cause = new TypeError("key sk-abcdef");
  const details = { cause, data: { body: "sk-abcdef" }, configPath: "secrets" };
  const cleaned = redactor.redactError(
    new AppError("tinker-bad-request", "No sk-abcdef.", details),
  );
  expect(cleaned).toMatchObject({
    code: "tinker-bad-request",
    message: "No ***.",
    data: { body: "***" },
    configPath: "secrets",
    cause: { name: "TypeError", message: "key ***" },
  });
  expect(inspect(cleaned)).not.toContain("sk-abcdef");
  expect(redactor.redactError("sk-abcdef")).toBe("***");
});
