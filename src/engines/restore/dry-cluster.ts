import { groupResource } from "../../api/index.ts";
import {
  ApiError,
  builtIn,
  type DiscoveredResource,
  type Discovery,
  isNotFound,
  missingRight,
  type Resource,
} from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { recordOf, recordsOf, textOf } from "./json.ts";
import { isTerminating } from "./namespaces.ts";
import { NotAsked } from "./not-asked.ts";
import type { Cluster } from "./served.ts";

/** Kinds that admission looks up when it is asked about others; only these are remembered. Bounded by the items of the archive. */
const remembered: ReadonlySet<string> = new Set([
  "namespaces",
  "serviceaccounts",
  "persistentvolumeclaims",
  "priorityclasses.scheduling.k8s.io",
  "runtimeclasses.node.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
]);

type Space = "there" | "absent" | "leaving";

/**
 * The cluster as a restore sees it, without its effects: writes are dry runs of the API server, and what they would have made
 * is there for whoever asks next. What the API server cannot be asked about is answered as if it agreed, and `whyNotAsked` tells.
 */
export class DryCluster implements Cluster {
  readonly #real: Cluster;
  readonly #made = new Map<string, Item>();
  readonly #served: DiscoveredResource[] = [];
  /** One answer a namespace of the plan. */
  readonly #spaces = new Map<string, Promise<Space>>();
  readonly #notAsked = new WeakMap<object, string>();

  constructor(real: Cluster) {
    this.#real = real;
  }

  /** Why nobody could be asked about an object that was "created"; undefined when the API server agreed. */
  whyNotAsked(object: object | undefined): string | undefined {
    return object && this.#notAsked.get(object);
  }

  create: Cluster["create"] = async (resource, object, _options, signal) => {
    const item = object as Item; // whatever is restored is one
    const why = await this.#cannotAsk(resource, item, signal);
    if (why !== undefined) return this.#assumed(resource, item, why) as never; // the caller's own type, as it was given
    try {
      const answer = await this.#real.create<Item>(resource, item, { dryRun: true }, signal);
      this.#remember(resource, answer);
      return answer as never;
    } catch (error) {
      if (missingRight(error)) {
        this.#remember(resource, item);
        throw notAllowed(error);
      }
      const needed = this.#needed(item);
      const unheard =
        cannotDryRun(error) ??
        (needed !== undefined && isRefusal(error)
          ? `it needs ${needed}, which this restore makes before it`
          : undefined);
      if (unheard === undefined) throw error;
      return this.#assumed(resource, item, unheard) as never;
    }
  };

  get: Cluster["get"] = async (resource, name, place, signal) => {
    const made = this.#made.get(keyOf(resource, place?.namespace, name));
    if (made) return made as never; // the caller's own type, as it was given
    if (resource.namespaced && place?.namespace && (await this.#space(place.namespace, signal)) !== "there")
      throw absent(resource, name);
    try {
      const found = await this.#real.get<Item>(resource, name, place, signal);
      if (resource.plural === "namespaces" && isTerminating(found)) throw absent(resource, name);
      return found as never;
    } catch (error) {
      throw missingRight(error) ? notAllowed(error) : error;
    }
  };

  patch: Cluster["patch"] = async (resource, name, patch, options, signal) => {
    try {
      return await this.#real.patch(resource, name, patch, { ...options, dryRun: true }, signal);
    } catch (error) {
      const unheard = cannotDryRun(error);
      if (unheard !== undefined) {
        const object = {};
        this.#notAsked.set(object, unheard);
        return object as never; // nobody looks into it
      }
      throw missingRight(error) ? notAllowed(error) : error;
    }
  };

  /** Only the status of what was just made is replaced, and that is nowhere yet. */
  replace: Cluster["replace"] = async (_resource, object) => object;

  discover: Cluster["discover"] = async (signal): Promise<Discovery> => {
    const real = await this.#real.discover(signal);
    return { ...real, resources: [...real.resources, ...this.#served] };
  };

  /** Nothing of this restore is there yet. */
  items: Cluster["items"] = async function* () {
    // An empty list.
  };

  async #cannotAsk(
    resource: Resource,
    item: Item,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { namespace = "", name } = item.metadata;
    if (this.#served.some((one) => one.group === resource.group && one.plural === resource.plural))
      return "its definition is made by this restore";
    if (resource.plural === "namespaces" && resource.group === "")
      return (await this.#space(name, signal)) === "leaving" ? leaving : undefined;
    if (!resource.namespaced) return undefined;
    const space = await this.#space(namespace, signal);
    // Where the namespace itself is refused, the items meet the answer that the run will meet.
    if (space === "there" || !this.#made.has(keyOf(builtIn.namespaces, undefined, namespace)))
      return undefined;
    this.#demandAccount(item);
    return space === "leaving"
      ? `namespace "${namespace}" is being deleted`
      : `namespace "${namespace}" is not there yet`;
  }

  /** A fresh namespace has the accounts that this restore makes in it, and the one that every namespace has. */
  #demandAccount({ kind, metadata, ...rest }: Item): void {
    const name = textOf(recordOf(rest["spec"])["serviceAccountName"]);
    if (kind !== "Pod" || name === "" || name === "default") return;
    if (this.#made.has(keyOf(builtIn.serviceAccounts, metadata.namespace, name))) return;
    throw new Error(`its service account "${name}" is not in the backup and will not be there`);
  }

  #space(name: string, signal: AbortSignal | undefined): Promise<Space> {
    const known = this.#spaces.get(name);
    if (known) return known;
    const asked = this.#look(name, signal);
    this.#spaces.set(name, asked);
    return asked;
  }

  async #look(name: string, signal: AbortSignal | undefined): Promise<Space> {
    try {
      const found = await this.#real.get<Item>(builtIn.namespaces, name, {}, signal);
      return isTerminating(found) ? "leaving" : "there";
    } catch (error) {
      if (isNotFound(error)) return "absent";
      if (missingRight(error)) return "there"; // whoever may not look is told so by the item itself
      throw error;
    }
  }

  #assumed(resource: Resource, item: Item, why: string): Item {
    const object = { ...item };
    this.#notAsked.set(object, why);
    this.#remember(resource, object);
    return object;
  }

  #remember(resource: Resource, item: Item): void {
    const type = groupResource({ group: resource.group, resource: resource.plural });
    if (!remembered.has(type)) return;
    const { namespace, name } = item.metadata;
    const isDefinition = resource.plural === "customresourcedefinitions";
    this.#made.set(keyOf(resource, namespace, name), isDefinition ? established(item) : item);
    if (isDefinition) this.#served.push(...servedBy(item));
  }

  /** What admission looks up for an item and finds only when the restore has made it. */
  #needed({ kind, metadata, ...rest }: Item): string | undefined {
    const { namespace } = metadata;
    const spec = recordOf(rest["spec"]);
    const role = recordOf(rest["roleRef"]);
    const named: readonly (readonly [Resource | undefined, string | undefined, string])[] =
      kind === "Pod"
        ? [
            [builtIn.serviceAccounts, namespace, textOf(spec["serviceAccountName"])],
            [builtIn.priorityClasses, undefined, textOf(spec["priorityClassName"])],
            [runtimeClasses, undefined, textOf(spec["runtimeClassName"])],
          ]
        : [[roles[textOf(role["kind"])], roleSpace(role, namespace), textOf(role["name"])]];
    const found = named.find(
      ([resource, space, name]) => resource && this.#made.has(keyOf(resource, space, name)),
    );
    return found?.[0] && `${found[0].kind} "${found[2]}"`;
  }
}

const leaving = "one of its name is being deleted: the restore waits until it is gone";
const rbac = (plural: string, kind: string, namespaced: boolean): Resource => ({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural,
  kind,
  namespaced,
});
const roles: Readonly<Record<string, Resource>> = {
  Role: rbac("roles", "Role", true),
  ClusterRole: rbac("clusterroles", "ClusterRole", false),
};
const runtimeClasses: Resource = {
  group: "node.k8s.io",
  version: "v1",
  plural: "runtimeclasses",
  kind: "RuntimeClass",
  namespaced: false,
};

function roleSpace(role: Readonly<Record<string, unknown>>, namespace: string | undefined) {
  return role["kind"] === "Role" ? namespace : undefined;
}

function keyOf({ group, plural }: Resource, namespace: string | undefined, name: string): string {
  return `${plural}.${group}/${namespace ?? ""}/${name}`;
}

function absent({ plural }: Resource, name: string): ApiError {
  const message = `${plural} "${name}" not found`;
  return new ApiError(`get ${plural} "${name}"`, { code: 404, reason: "NotFound", message });
}

function notAllowed(error: unknown): NotAsked {
  const right = missingRight(error);
  const where = right?.namespace === undefined ? "" : ` in namespace "${right.namespace}"`;
  return new NotAsked(`you may not ${right?.verb} ${right?.resource}${where}, so nobody was asked`);
}

/** A webhook with side effects is never called in a dry run: the API server says so instead of asking it. */
function cannotDryRun(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status.code !== 400) return undefined;
  const [, webhook] = /admission webhook "([^"]+)" does not support dry run/.exec(error.status.message) ?? [];
  return webhook && `admission webhook "${webhook}" does not take part in dry runs`;
}

/** A no that may become a yes when more is there. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 422].includes(error.status.code);
}

/** A definition as it is once the API server serves it. */
function established(definition: Item): Item {
  const conditions = ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" }));
  return { ...definition, status: { conditions } };
}

/** The types that a definition adds to what is served. */
function servedBy(definition: Item): DiscoveredResource[] {
  const spec = recordOf(definition["spec"]);
  const names = recordOf(spec["names"]);
  const versions = recordsOf(spec["versions"]).filter(({ served }) => served === true);
  return versions.map((version, at) => ({
    group: textOf(spec["group"]),
    version: textOf(version["name"]),
    plural: textOf(names["plural"]),
    kind: textOf(names["kind"]),
    namespaced: spec["scope"] === "Namespaced",
    singular: textOf(names["singular"]),
    verbs: [],
    shortNames: [],
    categories: [],
    subresources: [],
    preferred: at === 0,
  }));
}
