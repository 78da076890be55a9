import { expect, it } from "vitest";
import { proxyPasswords, proxySettings } from "../../src/node/proxy.ts";

it("finds the passwords in proxy addresses, as written and decoded", () => {
  const variables = {
    HTTPS_PROXY: "http://ada:p%40ss-word@proxy:8080",
    http_proxy: "http://proxy",
  };
  expect(proxyPasswords(variables)).toEqual(["p%40ss-word", "p@ss-word", "ada:p@ss-word"]);
});

it("finds the password of an address without a scheme", () => {
  expect(proxyPasswords({ HTTP_PROXY: "ada:secret@127.0.0.1:7890" })).toEqual([
    "secret",
    "secret",
    "ada:secret",
  ]);
});

it("finds a token that is given as a user name without a password", () => {
  expect(proxyPasswords({ HTTP_PROXY: "http://t%40ken0123456789@proxy" })).toEqual([
    "t%40ken0123456789",
    "t@ken0123456789",
    "t@ken0123456789:",
  ]);
});

it("does not treat a short name without a password as secret: texts may contain the word", () => {
  expect(proxyPasswords({ HTTP_PROXY: "http://student@proxy" })).toEqual(["student:"]);
});

it("reads an address without a scheme as http://", () => {
  expect(proxySettings({ HTTP_PROXY: "127.0.0.1:7890" })).toEqual({
    httpProxy: "http://127.0.0.1:7890/",
    httpsProxy: "http://127.0.0.1:7890/",
  });
  expect(proxySettings({ https_proxy: "proxy.example:8080" })).toEqual({
    httpProxy: null,
    httpsProxy: "http://proxy.example:8080/",
  });
});

it("prefers the lower-case variable", () => {
  const variables = { http_proxy: "http://lower:1", HTTP_PROXY: "http://upper:1" };
  expect(proxySettings(variables).httpProxy).toBe("http://lower:1/");
});

it.each(["http://", "socks5://127.0.0.1:1080", "http://a b", "ftp://proxy"])(
  "rejects %s and names the variable, not the value",
  (value) => {
    expect(() => proxySettings({ HTTP_PROXY: value })).toThrow(
      "HTTP_PROXY is not the address of an HTTP proxy. Write it as http://HOST:PORT, or list the hosts to reach directly in NO_PROXY.",
    );
  },
);

it("uses an undecodable password literally", () => {
  expect(
    proxyPasswords({ HTTP_PROXY: "http://ada:100%@proxy", HTTPS_PROXY: "proxy:8080" }),
  ).toEqual(["100%", "100%", "ada:100%"]);
});
