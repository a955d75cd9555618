import { type KubeObject, listAt, mapAt, textAt } from "./object.ts";
import { apiVersionOf, builtin, type CustomVersion, type PrinterColumn, type Resource } from "./resources.ts";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** Every resource that is served: the built-in ones and those of accepted CustomResourceDefinitions. */
export class Registry {
  readonly #byPath = new Map<string, Resource>();
  readonly #custom = new Map<string, readonly Resource[]>();

  constructor() {
    for (const resource of builtin) this.#byPath.set(pathOf(resource), resource);
  }

  /** The resource at `group/version/plural`. */
  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The resource of a kind, as a manifest or an owner reference names it. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    for (const r of this.#byPath.values()) if (r.kind === kind && apiVersionOf(r) === apiVersion) return r;
    return undefined;
  }

  /** The preferred version of what is stored under a name. */
  findStorage(storage: string): Resource | undefined {
    for (const r of this.#byPath.values()) if (r.storage === storage) return r;
    return undefined;
  }

  /** Whether a group (and version) exists. */
  has(group: string, version?: string): boolean {
    for (const r of this.#byPath.values()) {
      if (r.group === group && (version === undefined || r.version === version)) return true;
    }
    return false;
  }

  /** Everything, in no particular order. */
  all(): readonly Resource[] {
    return [...this.#byPath.values()];
  }

  /** Serves what a definition says, or stops serving it when there is none. */
  setCustom(name: string, definition: KubeObject | undefined): void {
    for (const old of this.#custom.get(name) ?? []) this.#byPath.delete(pathOf(old));
    this.#custom.delete(name);
    if (!definition) return;
    const resources = customResources(definition);
    this.#custom.set(name, resources);
    for (const resource of resources) this.#byPath.set(pathOf(resource), resource);
  }
}

function pathOf(resource: Resource): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}

function customResources(definition: KubeObject): Resource[] {
  const { spec } = definition;
  const names = mapAt(spec, "names");
  const group = textAt(spec, "group") ?? "";
  const kind = textAt(names, "kind") ?? "";
  const versions = listAt(spec, "versions").toSorted(
    (a, b) => rank(textAt(b, "name") ?? "") - rank(textAt(a, "name") ?? ""),
  );
  const stored = versions.find((v) => mapAt({ v }, "v")["storage"] === true);
  return versions
    .filter((v) => mapAt({ v }, "v")["served"] === true)
    .map((v) => {
      const plural = textAt(names, "plural") ?? "";
      const sub = mapAt(v, "subresources");
      return {
        group,
        version: textAt(v, "name") ?? "",
        kind,
        plural,
        listKind: textAt(names, "listKind") ?? `${kind}List`,
        singular: textAt(names, "singular") ?? kind.toLowerCase(),
        shortNames: listAt(names, "shortNames").map(String),
        categories: listAt(names, "categories").map(String),
        namespaced: textAt(spec, "scope") === "Namespaced",
        subresources: Object.keys(sub).toSorted(),
        verbs,
        storage: `${plural}.${group}`,
        custom: customVersion(v, textAt(stored, "name") ?? ""),
      };
    });
}

function customVersion(version: unknown, storageVersion: string): CustomVersion {
  const scale = mapAt(mapAt(version, "subresources"), "scale");
  const spec = textAt(scale, "specReplicasPath");
  const status = textAt(scale, "statusReplicasPath");
  const label = textAt(scale, "labelSelectorPath");
  return {
    storageVersion,
    schema: mapAt(version, "schema")["openAPIV3Schema"],
    columns: listAt(version, "additionalPrinterColumns") as unknown as PrinterColumn[],
    selectableFields: listAt(version, "selectableFields").map((f) =>
      (textAt(f, "jsonPath") ?? "").replace(/^\./, ""),
    ),
    ...(spec !== undefined &&
      status !== undefined && {
        scale: {
          specReplicasPath: spec,
          statusReplicasPath: status,
          ...(label !== undefined && { labelSelectorPath: label }),
        },
      }),
  };
}

/** The order of versions as Kubernetes sorts them: v2 before v1 before v1beta2 before v1beta1 before v1alpha1 before others. */
function rank(version: string): number {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!found) return -1;
  const stage = found[2] === undefined ? 2 : found[2] === "beta" ? 1 : 0;
  return stage * 1e8 + Number(found[1]) * 1e4 + Number(found[3] ?? 0);
}
