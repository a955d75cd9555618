import { CallError } from "../error.ts";
import { quote } from "../quote.ts";
import { fromBytes, toBytes } from "../text.ts";
import { type Dict, dict, kindOf } from "../value.ts";
import { define, type Func } from "./define.ts";
import { percentEncode } from "./escape.ts";

/** sprig's URLs, as net/url reads and writes them. */
export const urls: Readonly<Record<string, Func>> = {
  urlParse: define("string", (a) => {
    try {
      const url = parseUrl(a.text(0));
      const { scheme, host, path, query, opaque, fragment } = url;
      const userinfo = url.user === undefined ? "" : userText(url.user);
      return dict(
        Object.entries({ scheme, host, hostname: hostname(host), path, query, opaque, fragment, userinfo }),
      );
    } catch (error) {
      if (error instanceof UrlFault)
        throw new CallError(`unable to parse url: ${error.message}`, { cause: error });
      throw error;
    }
  }),
  urlJoin: define("dict", (a) => joinUrl(a.dict(0))),
};

class UrlFault extends Error {}

interface User {
  readonly name: string;
  readonly password: string | undefined;
}

interface Url {
  readonly scheme: string;
  readonly user: User | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly opaque: string;
  readonly fragment: string;
}

const kept = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  user: /[A-Za-z0-9\-_.~$&+,;=]/,
  host: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
};

function parseUrl(raw: string): Url {
  const [whole = "", ...rest] = raw.split("#");
  const fail = (message: string): never => {
    throw new UrlFault(`parse ${quote(whole)}: ${message}`);
  };
  // oxlint-disable-next-line no-control-regex -- net/url refuses exactly these
  if (/[\u0000-\u001f\u007f]/.test(whole)) fail("net/url: invalid control character in URL");
  const fragment = unescape(rest.join("#"), fail);
  const empty = { scheme: "", user: undefined, host: "", query: "", opaque: "", fragment };
  if (whole === "*") return { ...empty, path: "*" };
  if (whole.startsWith(":")) fail("missing protocol scheme");
  const found = /^([a-zA-Z][a-zA-Z0-9+\-.]*):(.*)$/s.exec(whole);
  const scheme = (found?.[1] ?? "").toLowerCase();
  const [before = "", ...queries] = (found?.[2] ?? whole).split("?");
  const query = queries.join("?");
  if (!before.startsWith("/")) {
    if (scheme !== "") return { ...empty, scheme, query, opaque: before, path: "" };
    if ((before.split("/")[0] ?? "").includes(":")) fail("first path segment in URL cannot contain colon");
  }
  const withHost = before.startsWith("//") && (scheme !== "" || !before.startsWith("///"));
  const slash = before.indexOf("/", 2);
  const authority = withHost ? before.slice(2, slash < 0 ? undefined : slash) : "";
  const path = withHost ? (slash < 0 ? "" : before.slice(slash)) : before;
  return { ...empty, ...parseAuthority(authority, scheme, fail), scheme, query, path: unescape(path, fail) };
}

function parseAuthority(
  text: string,
  scheme: string,
  fail: (message: string) => never,
): { user: User | undefined; host: string } {
  const at = text.lastIndexOf("@");
  const host = parseHost(text.slice(at + 1), scheme, fail);
  if (at < 0) return { user: undefined, host };
  const info = text.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) fail("net/url: invalid userinfo");
  const colon = info.indexOf(":");
  if (colon < 0) return { user: { name: unescape(info, fail), password: undefined }, host };
  return {
    user: { name: unescape(info.slice(0, colon), fail), password: unescape(info.slice(colon + 1), fail) },
    host,
  };
}

function parseHost(host: string, scheme: string, fail: (message: string) => never): string {
  const open = host.lastIndexOf("[");
  if (open > 0) fail("invalid IP-literal");
  const close = host.lastIndexOf("]");
  if (open === 0 && close < 0) fail("missing ']' in host");
  const web = scheme === "http" || scheme === "https";
  const colon = web ? host.indexOf(":") : host.lastIndexOf(":");
  const port = open === 0 ? host.slice(close + 1) : colon < 0 ? "" : host.slice(colon);
  if (!/^(:[0-9]*)?$/.test(port)) fail(`invalid port ${quote(port)} after host`);
  if (open === 0) checkAddress(host.slice(1, close), fail);
  for (const [escape] of host.matchAll(/%[0-9a-fA-F]{2}/g)) {
    if (escape < "%8" && escape !== "%25") fail(`invalid URL escape ${quote(escape)}`);
  }
  const odd = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)?.[0];
  if (odd !== undefined) fail(`invalid character ${quote(odd)} in host name`);
  return unescape(host, fail);
}

/** Only IPv6 stands between brackets. */
function checkAddress(text: string, fail: (message: string) => never): void {
  const address = text.split("%25")[0] ?? "";
  const groups = address.split(":");
  const double = address.includes("::");
  const hexOnly = groups.every(
    (group, i) =>
      /^[0-9a-fA-F]{0,4}$/.test(group) || (i === groups.length - 1 && /^\d+\.\d+\.\d+\.\d+$/.test(group)),
  );
  const enough = double
    ? groups.length <= 9
    : groups.length === 8 || (address.includes(".") && groups.length === 7);
  if (!hexOnly || !enough || groups.length < 3)
    fail(`invalid host: ParseAddr(${quote(text)}): unable to parse IP`);
}

function unescape(text: string, fail: (message: string) => never): string {
  const bad = /%(?![0-9a-fA-F]{2})/.exec(text);
  if (bad !== null) fail(`invalid URL escape ${quote(text.slice(bad.index, bad.index + 3))}`);
  if (!text.includes("%")) return text;
  const bytes: number[] = [];
  for (const part of text.split(/(%[0-9a-fA-F]{2})/)) {
    if (/^%[0-9a-fA-F]{2}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...toBytes(part));
  }
  return fromBytes(Uint8Array.from(bytes));
}

function userText(user: User): string {
  const name = percentEncode(user.name, kept.user);
  return user.password === undefined ? name : `${name}:${percentEncode(user.password, kept.user)}`;
}

function hostname(host: string): string {
  const colon = host.lastIndexOf(":");
  const bare = colon >= 0 && /^:[0-9]*$/.test(host.slice(colon)) ? host.slice(0, colon) : host;
  return bare.startsWith("[") && bare.endsWith("]") ? bare.slice(1, -1) : bare;
}

function joinUrl(parts: Dict): string {
  const part = (name: string): string => {
    const value = parts.get(name);
    if (value === undefined) return "";
    if (value === null)
      throw new CallError("runtime error: invalid memory address or nil pointer dereference");
    if (typeof value === "string") return value;
    throw new CallError(`unable to parse ${name} key, must be of type string, but ${kindOf(value)} found`);
  };
  const [scheme, host, path, query, opaque, fragment] = [
    part("scheme"),
    part("host"),
    part("path"),
    part("query"),
    part("opaque"),
    part("fragment"),
  ];
  const user = userOf(part("userinfo"));
  let out = scheme === "" ? "" : `${scheme}:`;
  if (opaque !== "") out += opaque;
  else {
    const authority = host !== "" || user !== undefined;
    if ((scheme !== "" || authority) && (authority || path !== "")) out += "//";
    if (user !== undefined) out += `${userText(user)}@`;
    out += percentEncode(host, kept.host);
    const escaped = path === "*" ? "*" : percentEncode(path, kept.path);
    if (escaped !== "" && !escaped.startsWith("/") && host !== "") out += "/";
    if (out === "" && (escaped.split("/")[0] ?? "").includes(":")) out += "./";
    out += escaped;
  }
  if (query !== "") out += `?${query}`;
  return fragment === "" ? out : `${out}#${percentEncode(fragment, kept.fragment)}`;
}

function userOf(text: string): User | undefined {
  if (text === "") return undefined;
  try {
    return parseUrl(`proto://${text}@host`).user;
  } catch (error) {
    if (error instanceof UrlFault)
      throw new CallError(`unable to parse userinfo in dict: ${error.message}`, { cause: error });
    throw error;
  }
}
