import type { Discovery } from "../../kube/index.ts";
import { type Filters, idleRules, mayWantGroup, typeName, unknownTypes } from "./filters.ts";
import type { Findings } from "./results.ts";
import type { ResourceType } from "./source.ts";

/** Measurements: nothing in them can be created, so nothing of them is ever in a backup. */
const readOnlyApis = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"];

/** Tells which types the filters mean and nobody serves, and which may be meant and cannot be discovered. */
export function tellOddTypes(
  filters: Filters,
  { served, failed }: { readonly served: readonly ResourceType[]; readonly failed: Discovery["failed"] },
  { warnings, errors }: { readonly warnings: Findings; readonly errors: Findings },
): void {
  const known = new Set(served.map(typeName));
  for (const { groupVersion, message } of failed) {
    const [group = ""] = groupVersion.split("/");
    if (!mayWantGroup(filters, group, known)) continue;
    const found = readOnlyApis.includes(group) ? warnings : errors;
    found.add({}, `the API "${groupVersion}" cannot be discovered`, message);
  }
  // A type of a group that cannot be discovered may well be there: then the group has been told above.
  for (const resource of failed.length > 0 ? [] : unknownTypes(filters, known))
    warnings.add({ resource }, "the cluster has no such type, so none are in the backup");
  for (const { kind, reason } of idleRules(filters))
    warnings.add({ resource: kind }, "a rule of the resource policy has no effect", reason);
}
