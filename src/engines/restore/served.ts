import { groupResource } from "../../api/index.ts";
import { type Client, type DiscoveredResource, type Discovery, findResource } from "../../kube/index.ts";

/** What a restore asks of the cluster. */
export type Cluster = Pick<Client, "get" | "create" | "patch" | "replace" | "discover" | "items">;

/** The types that the cluster serves, as items and people name them. */
export class Served {
  #byKind = new Map<string, DiscoveredResource>();
  #resources: readonly DiscoveredResource[] = [];

  constructor(discovery: Discovery) {
    this.take(discovery);
  }

  /** Takes a newer answer, after definitions were created. */
  take(discovery: Discovery): void {
    this.#resources = discovery.resources;
    this.#byKind = new Map(discovery.resources.map((one) => [`${apiVersion(one)}/${one.kind}`, one]));
  }

  /** The endpoint of an item, undefined when its type is not served. */
  find(item: { readonly apiVersion: string; readonly kind: string }): DiscoveredResource | undefined {
    return this.#byKind.get(`${item.apiVersion}/${item.kind}`);
  }

  /** The preferred endpoint of a type as archives name it. */
  typed(type: string): DiscoveredResource | undefined {
    return this.#resources.find(
      (one) => one.preferred && groupResource({ group: one.group, resource: one.plural }) === type,
    );
  }

  /** The type that a person means, as archives name it. */
  resolve(word: string): string | undefined {
    const found = findResource(this.#resources, word);
    return found && groupResource({ group: found.group, resource: found.plural });
  }
}

function apiVersion({ group, version }: DiscoveredResource): string {
  return group === "" ? version : `${group}/${version}`;
}
