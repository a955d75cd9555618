import type { KubeObject } from "../../api/index.ts";
import { impersonation, merged, type Rule, wideRights } from "./permissions.ts";

type Manifest = KubeObject & Readonly<Record<string, unknown>>;

/** How far the operator may go beyond backups. Values may be placeholders of a chart, which has an `if` around each object. */
export interface Rights {
  /** `none`: no restores; `account`: with the rights of service accounts; `cluster`: the operator may write everything. */
  readonly restore: "none" | "account" | "cluster";
  /** Accounts of the namespace that Restores may name; the first one is that of Restores that name none. */
  readonly restoreAccounts: readonly string[];
  /** `namespaces`: actions work where somebody binds their role; `cluster`: everywhere. */
  readonly action: "namespaces" | "cluster";
  /** `none`: this cluster is neither source nor destination of migrations; `cluster`: it may be both. */
  readonly migration: "none" | "cluster";
}

/** The least that lets backups work, and restores and actions wherever somebody allows them. */
export const leastRights: Rights = {
  restore: "account",
  restoreAccounts: ["headway-restore"],
  action: "namespaces",
  migration: "none",
};

/** What lies behind each choice, as flags and values name it. */
export interface ChosenObjects {
  readonly restoreAccounts: readonly Manifest[];
  readonly restoreCluster: readonly Manifest[];
  /** The role of actions, bound in the operator's own namespace. */
  readonly actions: readonly Manifest[];
  readonly actionCluster: readonly Manifest[];
  readonly migrationCluster: readonly Manifest[];
}

const group = "rbac.authorization.k8s.io";
const api = { apiVersion: `${group}/v1` };
const labels = { "app.kubernetes.io/name": "headway", "app.kubernetes.io/part-of": "headway" };

/** The objects of what was chosen, for the controllers that run. */
export function rightObjects(namespace: string, controllers: readonly string[], rights: Rights): Manifest[] {
  const all = chosenObjects(namespace, rights.restoreAccounts);
  const runs = (name: keyof typeof wideRights) => controllers.length === 0 || controllers.includes(name);
  return [
    ...(runs("restore") && rights.restore !== "none" ? all.restoreAccounts : []),
    ...(runs("restore") && rights.restore === "cluster" ? all.restoreCluster : []),
    ...(runs("actionset") ? all.actions : []),
    ...(runs("actionset") && rights.action === "cluster" ? all.actionCluster : []),
    ...(runs("migration") && rights.migration === "cluster" ? all.migrationCluster : []),
  ];
}

/** Every object that a choice can make. */
export function chosenObjects(namespace: string, accounts: readonly string[]): ChosenObjects {
  const operator = [{ kind: "ServiceAccount", name: "headway", namespace }];
  const role = (name: string, rules: readonly Rule[]): Manifest => ({
    ...api,
    kind: "ClusterRole",
    metadata: { name: `${name}:${namespace}`, labels },
    rules: merged(rules),
  });
  const everywhere = (name: string): Manifest => ({
    ...api,
    kind: "ClusterRoleBinding",
    metadata: { name: `${name}:${namespace}`, labels },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: `${name}:${namespace}` },
    subjects: operator,
  });
  const here = (name: string, kind: string, of: string): Manifest => ({
    ...api,
    kind: "RoleBinding",
    metadata: { name, namespace, labels },
    roleRef: { apiGroup: group, kind, name: of },
    subjects: operator,
  });
  const impersonator = "headway-restore-accounts";
  return {
    restoreAccounts: [
      ...accounts.map((name) => ({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name, namespace, labels },
        // Nobody runs as it: it is acted for.
        automountServiceAccountToken: false,
      })),
      {
        ...api,
        kind: "Role",
        metadata: { name: impersonator, namespace, labels },
        rules: [impersonation(accounts)],
      },
      here(impersonator, "Role", impersonator),
    ],
    restoreCluster: [role("headway-restores", wideRights.restore), everywhere("headway-restores")],
    actions: [
      role("headway-actions", wideRights.actionset),
      here("headway-actions", "ClusterRole", `headway-actions:${namespace}`),
    ],
    actionCluster: [everywhere("headway-actions")],
    migrationCluster: [role("headway-migrations", wideRights.migration), everywhere("headway-migrations")],
  };
}
