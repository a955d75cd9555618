import { messageOf } from "../../errors.ts";
import type { CollectOptions } from "./collect-options.ts";
import { refusesCompanion, typeName } from "./filters.ts";
import { Bindings } from "./related.ts";
import { type ResourceType, readItem } from "./source.ts";
import { isFatal } from "./trouble.ts";

/** The ClusterRoleBindings of the cluster by the service accounts that they name; none where the backup refuses them. */
export async function readBindings(
  { source, filters, errors }: Pick<CollectOptions, "source" | "filters" | "errors">,
  type: ResourceType | undefined,
  signal: AbortSignal,
): Promise<Bindings> {
  const bindings = new Bindings();
  if (!type || refusesCompanion(filters, type)) return bindings;
  try {
    for await (const page of source.rawPages(type, {}, signal)) {
      for (const raw of page.items) bindings.add(readItem(raw));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isFatal(error)) throw error;
    errors.add({ resource: typeName(type) }, "cannot list for service accounts", messageOf(error));
  }
  return bindings;
}
