import { type KindName, kinds } from "../api/index.ts";
import type { AccessRequest } from "./authorize.ts";

/** What can be listed for the forms of the page. */
export const choiceKinds = [
  "Namespace",
  "Backup",
  "BackupStorageLocation",
  "Blueprint",
  "Profile",
  "MigPlan",
] as const;

/** One of the kinds that forms choose from. */
export type ChoiceKind = (typeof choiceKinds)[number];

/** What a request needs the right to do; undefined when its path is none. Paths that nobody knows need a right that few have. */
export function accessRequestOf(
  method: string,
  path: string,
  namespace: string | undefined,
): AccessRequest | undefined {
  const parts = decoded(path);
  if (!parts) return undefined;
  const [, api, section = "", ...rest] = parts;
  if (api !== "api") return { path };
  if (method === "POST") return writeWish(section, rest) ?? { path };
  return readWish(section, rest, namespace) ?? { path };
}

function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined; // such as %zz: no name in there can be meant
  }
}

function readWish(
  section: string,
  rest: readonly string[],
  queried: string | undefined,
): AccessRequest | undefined {
  const [first = "", second = "", third = "", part] = rest;
  switch (section) {
    case "stream":
      return { verb: "watch", ...(queried && { namespace: queried }) };
    case "operations":
      if (rest.length === 0) return { verb: "list", ...(queried && { namespace: queried }) };
      return operationWish(first, second, part);
    case "objects":
      return aboutKind(first, (of) => ({ verb: "get", ...of, namespace: second, name: third }));
    case "clusters":
      return { verb: "list" };
    case "board":
      return aboutKind("Backup", (of) => ({ verb: "list", ...of }));
    case "choices":
      if (first === "Namespace") return { verb: "list", group: "", resource: "namespaces" };
      return aboutKind(first, (of) => ({ verb: "list", ...of, ...(queried && { namespace: queried }) }));
    default:
      return undefined;
  }
}

function operationWish(namespace: string, kind: string, part: string | undefined): AccessRequest {
  if (part === "events") return { verb: "list", group: "", resource: "events", namespace };
  if (part !== "log" && part !== "results") return { verb: "get", namespace };
  return aboutKind(kind, (of) => ({ verb: "get", ...of, namespace })) ?? { verb: "get", namespace };
}

function writeWish(section: string, rest: readonly string[]): AccessRequest | undefined {
  const [first = "", second = "", name = "", part] = rest;
  if (section === "objects" && rest.length === 2) {
    return aboutKind(first, (of) => ({ verb: "create", ...of, namespace: second }));
  }
  if (section === "schedules" && rest.length === 3) {
    // A run is a new backup; who asks for it must also be able to read the schedule, which the cluster decides.
    if (name === "run") return aboutKind("Backup", (of) => ({ verb: "create", ...of, namespace: first }));
    return aboutKind("Schedule", (of) => ({ verb: "patch", ...of, namespace: first, name: second }));
  }
  if (section === "backups" && name === "delete" && rest.length === 3) {
    return aboutKind("DeleteBackupRequest", (of) => ({ verb: "create", ...of, namespace: first }));
  }
  // Looking ahead is part of making one; each item is asked for with the rights of the person besides.
  if (section === "plans" && first === "restore" && rest.length === 2)
    return aboutKind("Restore", (of) => ({ verb: "create", ...of, namespace: second }));
  if (section !== "operations" || part !== "cancel") return undefined;
  return aboutKind(second, (of) => ({ verb: "patch", ...of, namespace: first, name }));
}

/** A kind by its name in any case. */
export function kindNamed(name: string): KindName | undefined {
  const wanted = name.toLowerCase();
  return Object.values(kinds).find(({ kind }) => kind.toLowerCase() === wanted)?.kind;
}

function aboutKind(
  name: string,
  make: (of: { readonly group: string; readonly resource: string }) => AccessRequest,
): AccessRequest | undefined {
  const found = kindNamed(name);
  return found && make({ group: kinds[found].group, resource: kinds[found].plural });
}
