/** Recognizes hosts that are this computer, independent of its network. */

/**
 * True for `localhost`, for 127.0.0.0/8 (RFC 1122, section 3.2.1.3) and for `[::1]`.
 * @param hostname as `URL.hostname` gives it: lower case, IPv6 in brackets
 */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
