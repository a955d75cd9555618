import { groupResource, type KubeObject } from "../../api/index.ts";
import { visitArchive } from "../../engines/restore/index.ts";
import { type Client, type DiscoveredResource, isForbidden, isNotFound } from "../../kube/index.ts";
import { archiveOf } from "../inventory.ts";
import type { BrowsePlace } from "../place.ts";
import type { Rights } from "../rights.ts";
import type { Side, SideObject } from "./objects.ts";

/** Which objects are compared; nothing named means all. */
export interface DiffFilter {
  readonly namespaces: readonly string[];
  /** `deployments` or `deployments.apps`. */
  readonly resources: readonly string[];
}

/** Objects of one kind in one namespace. */
export type Place = Pick<SideObject, "group" | "resource" | "namespace">;

/** Whether objects there are compared; those of the whole cluster are left out where namespaces are named. */
export function passesFilter({ namespaces, resources }: DiffFilter, place: Place): boolean {
  const inNamespace = namespaces.length === 0 || namespaces.includes(place.namespace ?? "");
  const ofKind =
    resources.length === 0 || resources.some((one) => one === place.resource || one === groupResource(place));
  return inNamespace && ofKind;
}

/** The objects of a backup that the asker may read. */
export function archivedSide(
  place: BrowsePlace,
  backup: string,
  { filter, rights }: { readonly filter: DiffFilter; readonly rights: Rights },
  signal: AbortSignal,
): Side {
  return async function* () {
    const archive = await archiveOf(place, backup, signal);
    const items = visitArchive(archive, (entry) => passesFilter(filter, entry), signal);
    for await (const { entry, json } of items) {
      if (!(await rights.mayRead(entry))) continue;
      const read = () => JSON.parse(Buffer.from(json).toString("utf8")) as Record<string, unknown>; // visitArchive() has checked it
      yield {
        group: entry.group,
        resource: entry.resource,
        namespace: entry.namespace,
        name: entry.name,
        read,
      };
    }
  };
}

/** What runs now, in the places where the other side has something: kinds that a backup leaves out are not "added". */
export function liveSide(
  client: Pick<Client, "discover" | "items">,
  places: () => readonly Place[],
  onUnread: (place: Place, why: string) => void,
  signal: AbortSignal,
): Side {
  return async function* () {
    const { resources } = await client.discover(signal);
    for (const place of places()) {
      const resource = resources.find(
        (one: DiscoveredResource) =>
          one.preferred && one.plural === place.resource && one.group === place.group,
      );
      if (!resource) continue; // a kind that is not served has no objects: those of the backup are gone
      try {
        const query = place.namespace === undefined ? {} : { namespace: place.namespace };
        for await (const object of client.items<KubeObject>(resource, query, signal)) {
          const read = () => object as unknown as Record<string, unknown>; // any object, field by field
          yield { ...place, name: object.metadata.name, read };
        }
      } catch (error) {
        if (!isForbidden(error) && !isNotFound(error)) throw error;
        onUnread(place, "it may not be listed");
      }
    }
  };
}

/** A side that remembers where it has met objects. */
export function remembering(side: Side): { readonly side: Side; readonly places: () => readonly Place[] } {
  const met = new Map<string, Place>();
  return {
    async *side() {
      for await (const object of side()) {
        const { group, resource, namespace } = object;
        met.set(`${groupResource(object)} ${namespace ?? ""}`, { group, resource, namespace });
        yield object;
      }
    },
    places: () => [...met.values()],
  };
}
