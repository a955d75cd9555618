import { veleroNames } from "../../api/index.ts";

/** An item that another item needs. */
export interface Related {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name: string;
}

type Json = Readonly<Record<string, unknown>>;

/** What a pod needs: its claims and its priority class. */
export function podNeeds(pod: Json): Related[] {
  const namespace = text(at(pod, "metadata", "namespace"));
  const spec = object(at(pod, "spec"));
  const claims = list(spec["volumes"]).flatMap((volume) => {
    const name = text(at(volume, "persistentVolumeClaim", "claimName"));
    return name === "" ? [] : [{ group: "", plural: "persistentvolumeclaims", namespace, name }];
  });
  const priority = text(spec["priorityClassName"]);
  return priority === ""
    ? claims
    : [...claims, { group: "scheduling.k8s.io", plural: "priorityclasses", name: priority }];
}

/** The volume a bound claim needs. */
export function claimNeeds(claim: Json): Related[] {
  const name = text(at(claim, "spec", "volumeName"));
  if (name === "" || text(at(claim, "status", "phase")) !== "Bound") return [];
  return [{ group: "", plural: "persistentvolumes", name }];
}

/** A claim as it is stored: what would tie a restored claim to the past is taken out. Undefined when nothing changes. */
export function storedClaim(claim: Json): Json | undefined {
  if (text(at(claim, "status", "phase")) !== "Bound") return undefined;
  const spec = object(claim["spec"]);
  const { dataSource, dataSourceRef, selector, ...rest } = spec;
  const labels = object(at(claim, "metadata", "labels"));
  const stale = Object.keys(labels).filter((key) => staleLabels.includes(key));
  const keepSelector = spec["storageClassName"] === "";
  const dropped = dataSource ?? dataSourceRef ?? (keepSelector ? undefined : selector);
  if (dropped === undefined && stale.length === 0) return undefined;
  return {
    ...claim,
    metadata: {
      ...object(claim["metadata"]),
      ...(stale.length > 0 && {
        labels: Object.fromEntries(Object.entries(labels).filter(([key]) => !stale.includes(key))),
      }),
    },
    spec: { ...rest, ...(keepSelector && selector !== undefined && { selector }) },
  };
}

const staleLabels: readonly string[] = [
  veleroNames.backupName,
  veleroNames.restoreName,
  "velero.io/volume-snapshot-name",
];

/** Which ClusterRoleBindings name which service account; `namespace/name` → bindings with their role. */
export class Bindings {
  readonly #byAccount = new Map<string, { readonly binding: string; readonly role: string }[]>();

  add(binding: Json): void {
    const role = {
      binding: text(at(binding, "metadata", "name")),
      role: text(at(binding, "roleRef", "name")),
    };
    for (const subject of list(binding["subjects"])) {
      if (subject["kind"] !== "ServiceAccount") continue;
      const key = `${text(subject["namespace"])}/${text(subject["name"])}`;
      const known = this.#byAccount.get(key) ?? [];
      if (!known.some((one) => one.binding === role.binding)) known.push(role);
      this.#byAccount.set(key, known);
    }
  }

  /** What a service account needs: the bindings that name it, and their roles. */
  needs(namespace: string, name: string): Related[] {
    const group = "rbac.authorization.k8s.io";
    return (this.#byAccount.get(`${namespace}/${name}`) ?? []).flatMap(({ binding, role }) => [
      { group, plural: "clusterrolebindings", name: binding },
      ...(role === "" ? [] : [{ group, plural: "clusterroles", name: role }]),
    ]);
  }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => object(found)[key], value);
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {}; // checked right here
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
