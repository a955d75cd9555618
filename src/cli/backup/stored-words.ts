import { isRecord } from "../../api/index.ts";
import type { StoredResult } from "./words.ts";

/** Both sides of a results file; whoever can write to the bucket decides what it holds, so only lists of texts count. */
export function readResults(
  value: unknown,
): { readonly errors: StoredResult; readonly warnings: StoredResult } | undefined {
  if (!isRecord(value)) return undefined;
  return { errors: readSide(value["errors"]), warnings: readSide(value["warnings"]) };
}

/** The names of a resource list by their kind, and nothing else that may stand in it. */
export function readResourceList(value: unknown): Readonly<Record<string, readonly string[]>> | undefined {
  return isRecord(value) ? listsIn(value) : undefined;
}

function readSide(side: unknown): StoredResult {
  if (!isRecord(side)) return {};
  const { velero, cluster, namespaces } = side;
  return {
    ...(Array.isArray(velero) && { velero: texts(velero) }),
    ...(Array.isArray(cluster) && { cluster: texts(cluster) }),
    ...(isRecord(namespaces) && { namespaces: listsIn(namespaces) }),
  };
}

function listsIn(value: Readonly<Record<string, unknown>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, list]) => (Array.isArray(list) ? [[key, texts(list)]] : [])),
  );
}

function texts(list: readonly unknown[]): readonly string[] {
  return list.filter((one) => typeof one === "string");
}
