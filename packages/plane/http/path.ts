/** A request's path below a group and version. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`; undefined when it is neither. */
export function parsePath(pathname: string): ResourcePath | undefined {
  const parts = pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  const core = parts[0] === "api";
  if (!core && parts[0] !== "apis") return undefined;
  const [group = "", version = "", ...rest] = core ? ["", parts[1] ?? "", ...parts.slice(2)] : parts.slice(1);
  if (rest.length === 0 || version === "") return undefined;
  if (rest[0] === "namespaces" && rest.length >= 3 && !(core && isOfNamespace(rest))) {
    const [, namespace = "", plural = "", name, ...sub] = rest;
    return { group, version, namespace, plural, ...tail(name, sub) };
  }
  const [plural = "", name, ...sub] = rest;
  return { group, version, plural, ...tail(name, sub) };
}

function tail(name: string | undefined, sub: readonly string[]): { name?: string; subresource?: string } {
  return { ...(name !== undefined && { name }), ...(sub.length > 0 && { subresource: sub.join("/") }) };
}

function isOfNamespace(rest: readonly string[]): boolean {
  return rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone percent sign names nothing that exists
  }
}
