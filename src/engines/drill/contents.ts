import { includeExclude, isRecord, passes } from "../../api/index.ts";

/** What the resource list of a backup tells: its namespaces, and how many objects are in them. */
export interface Contents {
  readonly namespaces: readonly string[];
  readonly items: number;
}

const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Reads the list `{"v1/Pod": ["shop/web", …]}` that lies beside a backup; whoever writes to the bucket writes it. */
export function contentsOf(list: unknown, wanted: readonly string[] | null | undefined): Contents {
  const chosen = includeExclude(wanted, []);
  const namespaces = new Set<string>();
  let items = 0;
  for (const names of Object.values(isRecord(list) ? list : {})) {
    for (const name of Array.isArray(names) ? names : []) {
      const [namespace = "", rest] = typeof name === "string" ? name.split("/") : [];
      if (rest === undefined || !namespaceName.test(namespace) || !passes(chosen, namespace)) continue;
      namespaces.add(namespace);
      items += 1;
    }
  }
  return { namespaces: [...namespaces].toSorted(), items };
}
