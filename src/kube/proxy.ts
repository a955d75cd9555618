import { AppError } from "../errors.ts";

/** The proxy for a server: the kubeconfig's own, else the environment's, unless NO_PROXY names the host. */
export function proxyFor(
  server: string,
  configured: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = new URL(server);
  const secure = url.protocol === "https:";
  const named = configured ?? (isExempt(url, env) ? undefined : fromEnvironment(secure, env));
  if (named === undefined || named === "") return undefined;
  const proxy = URL.parse(named.includes("://") ? named : `http://${named}`);
  if (proxy && (proxy.protocol === "http:" || proxy.protocol === "https:")) return proxy.href;
  throw new AppError("KUBE_CONFIG", `the proxy of "${server}" must be an http or https address`);
}

function fromEnvironment(
  secure: boolean,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return secure ? (env["HTTPS_PROXY"] ?? env["https_proxy"]) : (env["HTTP_PROXY"] ?? env["http_proxy"]);
}

function isExempt(url: URL, env: Readonly<Record<string, string | undefined>>): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || host === "::1" || host.startsWith("127.")) return true;
  const rules = (env["NO_PROXY"] ?? env["no_proxy"] ?? "")
    .split(",")
    .map((rule) => rule.trim().toLowerCase());
  return rules.some((rule) => rule === "*" || rule === host || (rule !== "" && isBelow(host, rule)));
}

function isBelow(host: string, rule: string): boolean {
  const domain = rule.replace(/^\*?\.?/, "");
  return host === domain || host.endsWith(`.${domain}`) || isInBlock(host, rule);
}

/** `10.0.0.0/8`, as people write their cluster's own addresses. */
function isInBlock(host: string, rule: string): boolean {
  const [base = "", bits] = rule.split("/");
  const [a, b] = [address(host), address(base)];
  if (bits === undefined || a === undefined || b === undefined) return false;
  const shift = 32 - Number(bits);
  return shift >= 32 || Math.floor(a / 2 ** shift) === Math.floor(b / 2 ** shift);
}

function address(text: string): number | undefined {
  const parts = text.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
