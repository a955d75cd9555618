import { expect } from "vitest";
import { builtIn } from "../../src/kube/index.ts";
import { type ActionStage, image } from "./action-stage.ts";

/** A phase of one function that can be held in its middle, and how it ends when the operator was killed there. */
export interface HeldPhase {
  readonly func: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Who it works with: the workload "db", or the namespace when absent. */
  readonly onDb?: boolean;
  readonly profile?: string;
  /** What the phase says of itself in its middle. */
  readonly middle: RegExp;
  readonly end: object | "lost";
}

/** Where the things are that the phases wait for. */
export interface HeldWorld {
  readonly stage: ActionStage;
  /** A file that commands wait for, on whatever machine they run. */
  readonly gate: string;
  /** Snapshots that were made before, by the name of their repository. */
  readonly made: Readonly<Record<string, { readonly id: string; readonly all: string }>>;
}

const finalizer = "headway.dev/held-by-a-test";
/** Objects that are deleted and stay until the test lets them go. */
const doomed = [
  { type: builtIn.configMaps, apiVersion: "v1", namespaced: true },
  { type: builtIn.snapshots, apiVersion: "snapshot.storage.k8s.io/v1", namespaced: true },
  { type: builtIn.snapshotContents, apiVersion: "snapshot.storage.k8s.io/v1", namespaced: false },
] as const;

const say = (key: string, value: string) => `echo '###Phase-output###: {"key":"${key}","value":"${value}"}'`;

/** Functions that need only the cluster and, for one of them, a store that the operator itself reaches. */
export function clusterPhases({ stage, gate }: HeldWorld): HeldPhase[] {
  const { namespace } = stage;
  const held = `until [ -e ${gate} ]; do sleep 0.2; done; ${say("ran", "once")}`;
  const command = ["sh", "-c", held];
  const pods = "{{ range .StatefulSet.Pods }}{{ . }} {{ end }}";
  const reference = { apiVersion: "v1", resource: "configmaps", name: "late", namespace };
  const conditions = { allOf: [{ condition: '{{ eq "{ $.data.a }" "1" }}', objectReference: reference }] };
  const conditionsV2 = { allOf: [{ condition: '{{ eq .data.a "1" }}', objectReference: reference }] };
  const isWaiting = /0 of 1 conditions met/;
  const snapshotClass = "held";
  const name = doomedName(stage);
  const [ran, running] = [{ ran: "once" }, /^running$/];
  return [
    { func: "KubeTask", args: { namespace, image, command }, middle: running, end: ran },
    {
      func: "PrepareData",
      args: { namespace, image, command, volumes: {}, failOnError: true },
      middle: running,
      end: ran,
    },
    {
      func: "MultiContainerRun",
      args: {
        namespace,
        sharedVolumeDir: "/shared",
        backgroundImage: image,
        backgroundCommand: ["true"],
        outputImage: image,
        outputCommand: command,
      },
      middle: running,
      end: ran,
    },
    {
      func: "KubeExec",
      args: { namespace, pod: "{{ index .StatefulSet.Pods 0 }}", command },
      onDb: true,
      middle: /running in pod/,
      end: "lost",
    },
    {
      func: "KubeExecAll",
      args: { namespace, pods, containers: "main", command },
      onDb: true,
      middle: /0 of 1 containers done/,
      end: "lost",
    },
    {
      func: "KubeOps",
      args: {
        operation: "delete",
        objectReference: { apiVersion: "v1", resource: "configmaps", name: "doomed", namespace },
      },
      middle: /until it is gone/,
      end: { name: "doomed", kind: "ConfigMap", resource: "configmaps" },
    },
    {
      func: "ScaleWorkload",
      args: { replicas: 2, kind: "deployment", name: "web", namespace },
      middle: /0 of 2 replicas ready/,
      end: { originalReplicaCount: 0 },
    },
    { func: "Wait", args: { timeout: "5m", conditions }, middle: isWaiting, end: {} },
    { func: "WaitV2", args: { timeout: "5m", conditions: conditionsV2 }, middle: isWaiting, end: {} },
    {
      func: "CreateCSISnapshot",
      args: { pvc: "some", namespace, snapshotClass },
      middle: /not ready to use/,
      end: { pvc: "some", restoreSize: "1Gi", snapshotContent: expect.stringMatching(/^content-of-some-/) },
    },
    {
      func: "CreateCSISnapshotStatic",
      args: { name: "static", namespace, driver: "d", snapshotHandle: "h", snapshotClass: name },
      middle: /not ready to use/,
      end: { name: "static", restoreSize: "1Gi", snapshotContent: expect.stringMatching(/^static-content-/) },
    },
    { func: "DeleteCSISnapshot", args: { name: "doomed", namespace }, middle: /until it is gone/, end: {} },
    { func: "DeleteCSISnapshotContent", args: { name }, middle: /until it is gone/, end: {} },
  ];
}

/** The one function that works on the store from the operator itself. */
export function storePhases({ stage }: HeldWorld): HeldPhase[] {
  const artifact = `${stage.namespace}/gone`;
  return [
    {
      func: "LocationDelete",
      args: { artifact },
      profile: "door",
      middle: /^deleting/,
      end: {},
    },
  ];
}

/** Functions whose work a mover does. */
export function moverPhases({ stage, made }: HeldWorld): HeldPhase[] {
  const { namespace } = stage;
  const [running, profile, onDb] = [/^running$/, "folder", true];
  const at = (backupArtifactPrefix: string) => ({ namespace, backupArtifactPrefix });
  const inside = { container: "main", includePath: "/data" };
  const pod = "{{ index .StatefulSet.Pods 0 }}";
  const { one, each, old, olds } = made;
  return [
    {
      func: "BackupData",
      args: { ...at("new"), ...inside, pod },
      profile,
      onDb,
      middle: /^reading/,
      end: "lost",
    },
    {
      func: "BackupDataAll",
      args: { ...at("news"), ...inside },
      profile,
      onDb,
      middle: /0 of 1 pods done/,
      end: "lost",
    },
    {
      func: "CopyVolumeData",
      args: { namespace, volume: "data", dataArtifactPrefix: "copy", image },
      profile,
      onDb,
      middle: running,
      end: { backupID: expect.stringMatching(/^[0-9a-f]{32}$/), fileCount: "1" },
    },
    {
      func: "RestoreData",
      args: { ...at("one"), image, pod, backupIdentifier: one?.id },
      profile,
      onDb,
      middle: running,
      end: {},
    },
    {
      func: "RestoreDataAll",
      args: { ...at("each"), image, backupInfo: each?.all },
      profile,
      onDb,
      middle: /0 of 1 pods done/,
      end: {},
    },
    {
      func: "DeleteData",
      args: { ...at("old"), image, backupID: old?.id, reclaimSpace: true },
      profile,
      onDb,
      middle: running,
      end: { spaceFreed: expect.stringMatching(/ (B|KiB|MiB)$/) },
    },
    {
      func: "DeleteDataAll",
      args: { ...at("olds"), image, backupInfo: olds?.all, reclaimSpace: true },
      profile,
      onDb,
      middle: running,
      end: { spaceFreed: expect.stringMatching(/ (B|KiB|MiB)$/) },
    },
    {
      func: "BackupDataStats",
      args: { ...at("one"), image, backupID: one?.id },
      profile,
      onDb,
      middle: running,
      end: { fileCount: "1" },
    },
    {
      func: "CheckRepository",
      args: { backupArtifactPrefix: "one", image },
      profile,
      onDb,
      middle: running,
      end: { passwordIncorrect: "false", repoUnavailable: "false" },
    },
  ];
}

/** Objects that phases wait for or delete. */
export async function makeHeldObjects(stage: ActionStage): Promise<void> {
  const { client, namespace } = stage;
  for (const { type, apiVersion, namespaced } of doomed) {
    const name = namespaced ? "doomed" : doomedName(stage);
    const metadata = { name, ...(namespaced && { namespace }), finalizers: [finalizer] };
    await client.create(type, { apiVersion, kind: type.kind, metadata });
  }
  const snapshotClass = { driver: "d", deletionPolicy: "Retain", metadata: { name: doomedName(stage) } };
  await client.create(builtIn.snapshotClasses, {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshotClass",
    ...snapshotClass,
  });
}

/** Lets objects go that are being deleted. */
export async function releaseHeldObjects(stage: ActionStage): Promise<void> {
  const { client, namespace } = stage;
  for (const { type, namespaced } of doomed) {
    const name = namespaced ? "doomed" : doomedName(stage);
    const body = { metadata: { finalizers: null } };
    await client.patch(type, name, { type: "merge", body }, namespaced ? { namespace } : {});
  }
}

/** Things without a namespace have a name of their own in every run. */
function doomedName({ namespace }: ActionStage): string {
  return `doomed-${namespace}`;
}
