/** The secrets in the addresses of proxies, as `http://user:password@host`. */

const PROXY_VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** As they stand there and as they are meant, and with the user's name as the proxy is shown them. */
export function proxyPasswords(variables: NodeJS.Dict<string>): readonly string[] {
  return PROXY_VARIABLES.flatMap((name) => {
    const address = variables[name] ?? "";
    if (!URL.canParse(address)) return [];
    const { username, password } = new URL(address);
    if (password === "") return [];
    const [user, meant] = [username, password].map(decoded);
    return [password, meant ?? "", `${user}:${meant}`];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
