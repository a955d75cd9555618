import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { selects } from "../../apimachinery/index.ts";
import type { Api } from "../api.ts";
import { type JsonMap, type KubeObject, listAt, mapAt, stamp, textAt } from "../object.ts";
import { type Controller, keyOf } from "./controller.ts";
import { readyFolder, snapshotDriver } from "./snapshots.ts";

const provisioners = ["headway.dev/folder", snapshotDriver];
const protection = "kubernetes.io/pvc-protection";

/** Gives claims their volumes: a folder of our own, or a volume that somebody made. `kept` holds the snapshots of folders. */
export function claims(folder: string, kept: string, node: string): Controller {
  return {
    name: "claims",
    watches: {
      persistentvolumeclaims: (o) => [keyOf(o)],
      persistentvolumes: (o) => {
        const ref = mapAt(o.spec, "claimRef");
        const claim =
          textAt(ref, "name") === undefined
            ? []
            : [`${textAt(ref, "namespace") ?? ""}/${textAt(ref, "name") ?? ""}`];
        return [`volume/${o.metadata.name}`, ...claim];
      },
      "volumesnapshots.snapshot.storage.k8s.io": (o, _change, api) =>
        api
          .readAll("persistentvolumeclaims", o.metadata.namespace ?? "")
          .filter((claim) => snapshotOf(claim) === o.metadata.name)
          .map(keyOf),
      pods: (o) =>
        listAt(o.spec, "volumes").flatMap((v) => {
          const name = textAt(mapAt(v, "persistentVolumeClaim"), "claimName");
          return name === undefined ? [] : [`${o.metadata.namespace ?? ""}/${name}`];
        }),
    },
    reconcile(api, namespace, name) {
      if (namespace === "volume") return volume(api, folder, name);
      const claim = api.read("persistentvolumeclaims", namespace, name);
      if (!claim) return;
      if (claim.metadata.deletionTimestamp !== undefined) release(api, claim);
      else if (textAt(claim.status, "phase") !== "Bound") bind(api, claim, { folder, kept, node });
    },
  };
}

/** A claim goes when no pod needs it any more. */
function release(api: Api, claim: KubeObject): void {
  const namespace = claim.metadata.namespace ?? "";
  const used = api.readAll("pods", namespace).some((pod) => {
    if (["Succeeded", "Failed"].includes(textAt(pod.status, "phase") ?? "")) return false;
    return listAt(pod.spec, "volumes").some(
      (v) => textAt(mapAt(v, "persistentVolumeClaim"), "claimName") === claim.metadata.name,
    );
  });
  if (used || !claim.metadata.finalizers?.includes(protection)) return;
  const finalizers = claim.metadata.finalizers.filter((f) => f !== protection);
  api.update(api.resource("persistentvolumeclaims"), namespace, {
    ...claim,
    metadata: { ...claim.metadata, finalizers },
  });
  const bound = textAt(claim.spec, "volumeName");
  if (bound !== undefined && api.read("persistentvolumes", "", bound)) {
    setPhase(api, bound, "Released");
  }
}

/** Where folders are. */
interface Place {
  readonly folder: string;
  readonly kept: string;
  readonly node: string;
}

function bind(api: Api, claim: KubeObject, place: Place): void {
  const className = textAt(claim.spec, "storageClassName");
  const asked = textAt(claim.spec, "volumeName");
  let found = asked === undefined ? fitting(api, claim) : api.read("persistentvolumes", "", asked);
  if (!found && asked === undefined && className) {
    const storageClass = api.read("storageclasses.storage.k8s.io", "", className);
    // As with a real provisioner, a claim that selects its volume gets none made.
    const isMade = provisioners.includes(textAt(storageClass, "provisioner") ?? "");
    if (isMade && claim.spec?.["selector"] === undefined) found = provision(api, claim, storageClass, place);
  }
  if (!found) return;
  const holder = mapAt(found.spec, "claimRef");
  const mine = holder["name"] === claim.metadata.name && holder["namespace"] === claim.metadata.namespace;
  if (holder["name"] !== undefined && !mine) return;
  const volumeName = found.metadata.name;
  api.modify(api.resource("persistentvolumes"), "", volumeName, (pv) => {
    pv.spec = { ...pv.spec, claimRef: reference(claim) };
  });
  setPhase(api, volumeName, "Bound");
  const namespace = claim.metadata.namespace ?? "";
  api.modify(api.resource("persistentvolumeclaims"), namespace, claim.metadata.name, (c) => {
    c.spec = { ...c.spec, volumeName };
    c.metadata.annotations = { ...c.metadata.annotations, "pv.kubernetes.io/bind-completed": "yes" };
  });
  api.modify(
    api.resource("persistentvolumeclaims"),
    namespace,
    claim.metadata.name,
    (c) => {
      c.status = {
        phase: "Bound",
        accessModes: listAt(found.spec, "accessModes"),
        capacity: mapAt(found.spec, "capacity"),
      };
    },
    { subresource: "status" },
  );
}

function reference(claim: KubeObject): JsonMap {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  return { kind: "PersistentVolumeClaim", namespace, name, uid, apiVersion: "v1", resourceVersion };
}

/** A volume that waits for this claim, or a free one of the same class that is large enough. */
function fitting(api: Api, claim: KubeObject): KubeObject | undefined {
  const wantedBytes = bytes(mapAt(mapAt(claim.spec, "resources"), "requests")["storage"]);
  return api.readAll("persistentvolumes").find((pv) => {
    const ref = mapAt(pv.spec, "claimRef");
    if (ref["name"] !== undefined) {
      const uid = textAt(ref, "uid");
      return (
        ref["name"] === claim.metadata.name &&
        ref["namespace"] === claim.metadata.namespace &&
        (uid === undefined || uid === claim.metadata.uid)
      );
    }
    if ((textAt(pv.spec, "storageClassName") ?? "") !== (textAt(claim.spec, "storageClassName") ?? ""))
      return false;
    const modes = listAt(pv.spec, "accessModes");
    const selector = claim.spec?.["selector"];
    if (selector !== undefined && !selects(mapAt(claim.spec, "selector"), pv.metadata.labels ?? {}))
      return false;
    return (
      listAt(claim.spec, "accessModes").every((m) => modes.includes(m)) &&
      bytes(mapAt(pv.spec, "capacity")["storage"]) >= wantedBytes
    );
  });
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function bytes(quantity: unknown): number {
  const found = /^([\d.]+)([a-zA-Z]*)$/.exec(typeof quantity === "string" ? quantity : "");
  return found ? Number(found[1]) * (units[found[2] ?? ""] ?? 1) : 0;
}

function provision(
  api: Api,
  claim: KubeObject,
  storageClass: KubeObject | undefined,
  { folder, kept, node }: Place,
): KubeObject | undefined {
  const name = `pvc-${claim.metadata.uid}`;
  const path = join(folder, name);
  const existing = api.read("persistentvolumes", "", name);
  if (existing) return existing;
  const snapshot = snapshotOf(claim);
  const source =
    snapshot === undefined ? undefined : readyFolder(api, claim.metadata.namespace ?? "", snapshot, kept);
  if (snapshot !== undefined && source === undefined) return undefined; // a change of the snapshot comes back here
  mkdirSync(path, { recursive: true, mode: 0o777 });
  if (source !== undefined) cpSync(source, path, { recursive: true, preserveTimestamps: true });
  const provisioner = textAt(storageClass, "provisioner") ?? "";
  return api.create(api.resource("persistentvolumes"), "", {
    kind: "PersistentVolume",
    apiVersion: "v1",
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
    spec: {
      capacity: { storage: mapAt(mapAt(claim.spec, "resources"), "requests")["storage"] },
      accessModes: listAt(claim.spec, "accessModes"),
      persistentVolumeReclaimPolicy: textAt(storageClass, "reclaimPolicy") ?? "Delete",
      storageClassName: textAt(claim.spec, "storageClassName"),
      ...(provisioner === snapshotDriver
        ? { csi: { driver: provisioner, volumeHandle: name, volumeAttributes: { path } } }
        : { local: { path } }),
      claimRef: reference(claim),
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] },
          ],
        },
      },
    },
  });
}

/** The snapshot that a claim is to be filled from. */
function snapshotOf(claim: KubeObject): string | undefined {
  const source = mapAt(claim.spec, "dataSource");
  return source["kind"] === "VolumeSnapshot" ? textAt(source, "name") : undefined;
}

/** A volume without its claim: deleted with its folder, or kept, as its policy says. */
function volume(api: Api, folder: string, name: string): void {
  const pv = api.read("persistentvolumes", "", name);
  if (!pv) return;
  const ref = mapAt(pv.spec, "claimRef");
  const claim =
    ref["name"] === undefined
      ? undefined
      : api.read("persistentvolumeclaims", textAt(ref, "namespace") ?? "", textAt(ref, "name") ?? "");
  const bound = claim !== undefined && claim.metadata.uid === (textAt(ref, "uid") ?? claim.metadata.uid);
  const deleted = pv.metadata.deletionTimestamp !== undefined;
  const phase = textAt(pv.status, "phase");
  if (
    !bound &&
    (deleted || (phase === "Released" && pv.spec?.["persistentVolumeReclaimPolicy"] === "Delete"))
  ) {
    if (provisioners.includes(pv.metadata.annotations?.["pv.kubernetes.io/provisioned-by"] ?? "")) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
    if (!deleted) api.delete(api.resource("persistentvolumes"), "", name);
    api.modify(api.resource("persistentvolumes"), "", name, (o) => {
      o.metadata.finalizers = (o.metadata.finalizers ?? []).filter(
        (f) => f !== "kubernetes.io/pv-protection",
      );
    });
    return;
  }
  if (!bound && ref["uid"] !== undefined && phase === "Bound") setPhase(api, name, "Released");
  else if (!bound && phase === "Pending") setPhase(api, name, "Available");
}

function setPhase(api: Api, name: string, phase: string): void {
  api.modify(
    api.resource("persistentvolumes"),
    "",
    name,
    (pv) => {
      if (textAt(pv.status, "phase") !== phase)
        pv.status = { phase, lastPhaseTransitionTime: stamp(api.now()) };
    },
    { subresource: "status" },
  );
}
