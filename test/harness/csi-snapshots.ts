import type { KubeObject } from "../../src/api/index.ts";
import { builtIn, type Client } from "../../src/kube/index.ts";
import { installDefinition } from "./definitions.ts";

export type Snapshot = KubeObject & {
  readonly spec?: { readonly source?: { readonly volumeSnapshotContentName?: string } };
};

/** The kinds of snapshots. No cluster of the tests has storage behind them: what a CSI driver's controller writes, the test writes. */
export async function installSnapshotKinds(client: Client): Promise<void> {
  const annotations = { "api-approved.kubernetes.io": "unapproved, for tests" };
  for (const kind of [builtIn.snapshots, builtIn.snapshotContents, builtIn.snapshotClasses]) {
    await installDefinition(client, kind, { all: true, annotations });
  }
}

/** Plays the controller: the storage has made the snapshot. */
export async function snapshotIsReady(client: Client, snapshot: Snapshot): Promise<void> {
  const { name, namespace } = snapshot.metadata;
  const content = snapshot.spec?.source?.volumeSnapshotContentName ?? `content-of-${name}`;
  const status = {
    readyToUse: true,
    creationTime: "2026-11-15T10:00:00Z",
    restoreSize: "1Gi",
    boundVolumeSnapshotContentName: content,
  };
  await client.patch(builtIn.snapshots, name, { type: "merge", body: { status } }, { namespace });
}

/** Other tests look at all kinds of the cluster: these go when their test ends. */
export async function removeSnapshotKinds(client: Client): Promise<void> {
  for (const { plural, group } of [builtIn.snapshots, builtIn.snapshotContents, builtIn.snapshotClasses]) {
    await client.delete(builtIn.definitions, `${plural}.${group}`);
  }
}
