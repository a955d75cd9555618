import type { KubeObject } from "../api/index.ts";

/** What a form holds; each kind of thing uses its own part. */
export interface Draft {
  readonly name: string;
  /** The context of the kubeconfig; empty where the page shows one cluster only. */
  readonly cluster: string;
  /** Where the object goes. */
  readonly namespace: string;
  readonly namespaces: readonly string[];
  readonly location: string;
  readonly volumes: boolean;
  readonly ttl: string;
  readonly backup: string;
  readonly update: boolean;
  readonly blueprint: string;
  readonly action: string;
  readonly objectKind: ObjectKind;
  readonly objectNamespace: string;
  readonly objectName: string;
  /** `namespace/name`. */
  readonly profile: string;
  readonly plan: string;
  readonly stage: boolean;
  readonly quiesce: boolean;
}

/** What an action can be done to. */
export const objectKinds = ["Deployment", "StatefulSet", "PVC", "Namespace"] as const;

/** One of the kinds that an action can be done to. */
type ObjectKind = (typeof objectKinds)[number];

/** A new draft. Names end in the time, so that the next one is another. */
export function newDraft(what: "backup" | "restore" | "action" | "migration", now: Date): Draft {
  const stamp = now.toISOString().replace(/\D/g, "").slice(0, 14);
  return {
    name: `${what}-${stamp}`,
    cluster: "",
    namespace: "",
    namespaces: [],
    location: "",
    volumes: true,
    ttl: "720h",
    backup: "",
    update: false,
    blueprint: "",
    action: "",
    objectKind: "Deployment",
    objectNamespace: "",
    objectName: "",
    profile: "",
    plan: "",
    stage: false,
    quiesce: true,
  };
}

/** A thing that can be started: how its draft becomes an object and a command, and what it still lacks. */
interface Recipe {
  manifest(draft: Draft): KubeObject;
  command(draft: Draft): string;
  /** What is missing or wrong, in words for the person who fills the form. */
  faults(draft: Draft): readonly string[];
}

const backup: Recipe = {
  manifest: (draft) =>
    object("velero.io/v1", "Backup", draft, {
      ...(draft.namespaces.length > 0 && { includedNamespaces: draft.namespaces }),
      ...(draft.location !== "" && { storageLocation: draft.location }),
      defaultVolumesToFsBackup: draft.volumes,
      ttl: draft.ttl,
    }),
  command: (draft) =>
    line("headway backup create", draft.name, [
      ["--include-namespaces", draft.namespaces.join(",")],
      ["--storage-location", draft.location],
      ["--default-volumes-to-fs-backup", String(draft.volumes)],
      ["--ttl", draft.ttl],
      ["--namespace", draft.namespace],
      ["--context", draft.cluster],
    ]),
  faults: (draft) => [
    ...common(draft),
    ...(draft.location === "" ? ["Choose where it is stored"] : []),
    ...(/^(\d+(\.\d+)?(h|m|s))+$/.test(draft.ttl) ? [] : ["Keep it for a duration such as 720h or 90m"]),
  ],
};

const restore: Recipe = {
  manifest: (draft) =>
    object("velero.io/v1", "Restore", draft, {
      backupName: draft.backup,
      ...(draft.namespaces.length > 0 && { includedNamespaces: draft.namespaces }),
      ...(draft.update && { existingResourcePolicy: "update" }),
    }),
  command: (draft) =>
    line("headway restore create", draft.name, [
      ["--from-backup", draft.backup],
      ["--include-namespaces", draft.namespaces.join(",")],
      ["--existing-resource-policy", draft.update ? "update" : ""],
      ["--namespace", draft.namespace],
      ["--context", draft.cluster],
    ]),
  faults: (draft) => [...common(draft), ...(draft.backup === "" ? ["Choose a backup"] : [])],
};

const objectFlags: Readonly<Record<ObjectKind, string>> = {
  Deployment: "--deployment",
  StatefulSet: "--statefulset",
  PVC: "--pvc",
  Namespace: "--namespacetargets",
};

function objectId({ objectKind, objectNamespace, objectName }: Draft): string {
  if (objectName === "") return "";
  return objectKind === "Namespace" ? objectName : `${objectNamespace}/${objectName}`;
}

const action: Recipe = {
  manifest: (draft) =>
    object("cr.kanister.io/v1alpha1", "ActionSet", draft, {
      actions: [
        {
          name: draft.action,
          blueprint: draft.blueprint,
          object: {
            // As kanctl writes it: small letters, and a namespace that is its own.
            kind: draft.objectKind.toLowerCase(),
            name: draft.objectName,
            namespace: draft.objectKind === "Namespace" ? draft.objectName : draft.objectNamespace,
          },
          ...(draft.profile !== "" && { profile: split(draft.profile) }),
        },
      ],
    }),
  command: (draft) =>
    line("headway actionset create", "", [
      ["--name", draft.name],
      ["--action", draft.action],
      ["--blueprint", draft.blueprint],
      [objectFlags[draft.objectKind], objectId(draft)],
      ["--profile", draft.profile],
      ["--namespace", draft.namespace],
      ["--context", draft.cluster],
    ]),
  faults: (draft) => [
    ...common(draft),
    ...(draft.blueprint === "" ? ["Choose a blueprint"] : []),
    ...(draft.action === "" ? ["Choose an action"] : []),
    ...(draft.objectName === "" ? ["Name the object that the action is for"] : []),
    ...(draft.objectKind !== "Namespace" && draft.objectNamespace === ""
      ? ["Choose the object's namespace"]
      : []),
  ],
};

const migration: Recipe = {
  manifest: (draft) =>
    object("migration.openshift.io/v1alpha1", "MigMigration", draft, {
      migPlanRef: { name: draft.plan, namespace: draft.namespace },
      stage: draft.stage,
      ...(draft.quiesce && !draft.stage && { quiescePods: true }),
    }),
  command: (draft) =>
    `${line("headway migration create", draft.name, [
      ["--plan", draft.plan],
      ["--namespace", draft.namespace],
      ["--context", draft.cluster],
    ])}${draft.stage ? " --stage" : draft.quiesce ? " --quiesce" : ""}`,
  faults: (draft) => [...common(draft), ...(draft.plan === "" ? ["Choose a plan"] : [])],
};

/** Every thing that can be started. */
export const recipes = { backup, restore, action, migration } as const;

function object(
  apiVersion: string,
  kind: string,
  { name, namespace }: Draft,
  spec: object,
): KubeObject & { readonly spec: object } {
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

function common({ name }: Draft): readonly string[] {
  const isName =
    name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
  return isName
    ? []
    : ["A name has small letters, digits and dashes, and begins and ends with a letter or digit"];
}

/** `namespace/name` in its two parts. */
function split(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

function line(command: string, name: string, flags: readonly (readonly [string, string])[]): string {
  const words = flags.flatMap(([flag, value]) => (value === "" ? [] : [`${flag}=${quote(value)}`]));
  return [command, ...(name === "" ? [] : [quote(name)]), ...words].join(" ");
}

/** As a shell takes it: anything that is not plain is quoted. */
function quote(text: string): string {
  return /^[\w@%+=:,./*-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
