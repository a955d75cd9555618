import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Backup, type KubeObject, kinds } from "../../../src/api/index.ts";
import { checksums, differences, untilFilled } from "../../../src/cli/demo/data.ts";
import { shopManifests, shopNamespace } from "../../../src/cli/demo/shop.ts";
import { builtIn, isNotFound, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { accountReady } from "../../harness/account.ts";
import { refused, unused } from "../../harness/audit.ts";
import { eventually } from "../../harness/eventually.ts";
import { InCluster, missingInCluster, pods } from "../../harness/in-cluster.ts";
import { makeVolumes } from "../../harness/local-volumes.ts";

const missing = missingInCluster();
const minutes = 240_000;
const [backups, requests] = [resourceOf(kinds.Backup), resourceOf(kinds.ServerStatusRequest)];
const [restores, downloads] = [resourceOf(kinds.Restore), resourceOf(kinds.DownloadRequest)];
const { namespaces, serviceAccounts: accounts } = builtIn;
type Phased = KubeObject & { readonly status?: { readonly phase?: string } };

/** The controllers of this story; those of other kinds show in their own tests what they need. */
const exercised = [
  "location",
  "backup",
  "restore",
  "schedule",
  "backup-sync",
  "gc",
  "backup-deletion",
  "download-request",
  "server-status",
  "backup-repo",
];

/** What is needed, but not in the minutes of a test. */
const seldom: readonly (readonly [grant: RegExp, why: string])[] = [
  [/^delete deletebackuprequests/, "requests are deleted a day after they were processed"],
  [/^get backuprepositories/, "when two processes make the same repository at the same moment"],
  [/^(get|delete) operations/, "when the Operation of an earlier object of the same name is still there"],
  [/^patch events$/, "when the same thing happens again within minutes"],
  [/volumeplugin|volumesnapshotlocations/, "no snapshots are taken here"],
  [/^create pods\/exec$/, "servers from Kubernetes 1.35 on ask for it, earlier ones for get alone"],
];
/** What only volumes with CSI snapshots need; test/cluster/csi runs them with the rights of an installed agent. */
const forSnapshots = {
  headway: /\.snapshot\.storage\.k8s\.io$|^\w+ data(uploads|downloads)\./,
  "headway-agent": new RegExp(
    [
      "\\.snapshot\\.storage\\.k8s\\.io$|^\\w+ data(uploads|downloads)\\.|^\\w+ backuprepositories\\.",
      "^\\w+ persistentvolume(s|claims)$|^(create|delete) pods$|^get (configmaps|nodes|leases\\.coordination\\.k8s\\.io)$",
      "^list events$|^get (storageclasses\\.storage|priorityclasses\\.scheduling)\\.k8s\\.io$",
    ].join("|"),
  ),
} as const;
const removals: (() => Promise<void>)[] = [];
let world: InCluster;

beforeAll(async () => {
  if (missing === undefined) world = await InCluster.open(exercised);
}, minutes);
afterAll(async () => {
  if (!world) return;
  for (const name of [shopNamespace, `${shopNamespace}-2`, `${shopNamespace}-big`]) {
    await world.client.delete(namespaces, name).catch(() => undefined); // a test that failed may not have come so far
  }
  for (const remove of removals) await remove();
  await world.close();
}, minutes);

/** The command must end well. */
async function headway(...argv: string[]): Promise<string> {
  const code = await world.headway(...argv);
  expect(code, world.said).toBe(0);
  return world.said;
}

async function create(object: KubeObject & Readonly<Record<string, unknown>>): Promise<void> {
  const { resources } = await world.client.discover();
  const found = resources.find(({ kind, group, version }) => {
    return kind === object.kind && [group, version].filter(Boolean).join("/") === object.apiVersion;
  });
  if (!found) throw new Error(`no ${object.kind} here`);
  await world.client.create(found, object);
}

/** The demo's shop, with hooks before a backup and after a restore, and a role of its own. */
function shop(): (KubeObject & Readonly<Record<string, unknown>>)[] {
  const hooks = {
    "pre.hook.backup.velero.io/command": '["/bin/sh","-c","echo kept > /data/hooked"]',
    "post.hook.restore.velero.io/command": '["/bin/sh","-c","echo back > /tmp/hooked"]',
  };
  const manifests = shopManifests(24, process.env["HEADWAY_TEST_IMAGE"] ?? "");
  const meta = { name: "reader", namespace: shopNamespace };
  const group = "rbac.authorization.k8s.io";
  return [
    ...manifests.map((manifest) => {
      if (manifest.kind !== "Deployment" || manifest.metadata.name !== "database") return manifest;
      const { spec } = manifest as unknown as { spec: { template: { metadata: object } } };
      Object.assign(spec.template.metadata, { annotations: hooks });
      return manifest;
    }),
    {
      apiVersion: `${group}/v1`,
      kind: "Role",
      metadata: meta,
      rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["deletecollection"] }],
    },
    {
      apiVersion: `${group}/v1`,
      kind: "ClusterRole",
      metadata: { name: "headway-shop" },
      rules: [{ apiGroups: ["batch"], resources: ["cronjobs"], verbs: ["deletecollection"] }],
    },
    {
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "headway-shop" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "headway-shop" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: shopNamespace }],
    },
    {
      apiVersion: `${group}/v1`,
      kind: "RoleBinding",
      metadata: meta,
      roleRef: { apiGroup: group, kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: shopNamespace }],
    },
  ];
}

async function gone(resource: Resource, name: string, namespace?: string): Promise<void> {
  await eventually(
    () =>
      world.client.get(resource, name, { namespace }).then(
        () => false,
        (error: unknown) => isNotFound(error),
      ),
    (is) => is,
    minutes,
  );
}

async function phaseOf(name: string): Promise<string> {
  const { status } = await world.client.get<Backup>(backups, name, { namespace: world.namespace });
  return status?.phase ?? "";
}

describe.skipIf(missing !== undefined)(`operator and agent in pods${missing ? ` (${missing})` : ""}`, () => {
  test("headway demo tells its story with the server that is installed", { timeout: minutes }, async () => {
    removals.push(await makeVolumes(world.client, 2));
    const image = process.env["HEADWAY_TEST_IMAGE"] ?? "";
    const said = await headway("demo", "--fast", "--image", image);
    expect(said).toContain("with the server that is installed there");
    expect(said).toContain("every byte is back");
    await gone(namespaces, shopNamespace);
  });

  test("a shop is backed up, destroyed and restored, with its volumes and hooks", {
    timeout: minutes,
  }, async () => {
    const { client } = world;
    const signal = AbortSignal.timeout(minutes);
    removals.push(await makeVolumes(client, 2));
    for (const object of shop()) await create(object);
    await untilFilled(client, minutes, signal);
    await headway(
      "backup",
      "create",
      "b1",
      "--include-namespaces",
      shopNamespace,
      "--default-volumes-to-fs-backup",
      "true",
      "--wait",
    );
    expect(await phaseOf("b1"), world.said).toBe("Completed");
    const before = await checksums(client, signal);
    expect([...before.keys()]).toContain("database:./hooked");
    await client.delete(namespaces, shopNamespace);
    await gone(namespaces, shopNamespace);
    await headway("restore", "create", "r1", "--from-backup", "b1", "--wait");
    await untilFilled(client, minutes, signal);
    expect(differences(before, await checksums(client, signal))).toEqual([]);
    const [pod] = await client.list(pods, { namespace: shopNamespace, labelSelector: "app=database" });
    const command = ["cat", "/tmp/hooked"];
    const place = { namespace: shopNamespace, container: "database", command };
    const { exitCode } = await client.exec(pods, pod?.metadata.name ?? "", place, signal);
    expect(exitCode).toBe(0);
    expect(await headway("backup", "logs", "b1")).toContain("shop");
    expect(await headway("restore", "logs", "r1")).toContain("items are to be restored");
  });

  test("a backup and a restore are canceled while their volumes are copied", {
    timeout: minutes,
  }, async () => {
    const { client, namespace } = world;
    const big = `${shopNamespace}-big`;
    await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: big } });
    await accountReady(client, big);
    // Forty gigabytes of nothing: no room on the disk, much to read.
    const container = {
      name: "c",
      image: process.env["HEADWAY_TEST_IMAGE"],
      command: ["sh", "-c", "truncate -s 40G /data/hole && sleep 3600"],
      volumeMounts: [{ name: "data", mountPath: "/data" }],
    };
    await create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "big", namespace: big },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [container],
        volumes: [{ name: "data", emptyDir: {} }],
      },
    });
    await eventually(
      () => client.get<Phased>(pods, "big", { namespace: big }),
      ({ status }) => status?.phase === "Running",
      minutes,
    );
    await headway(
      "backup",
      "create",
      "b3",
      "--include-namespaces",
      big,
      "--default-volumes-to-fs-backup",
      "true",
    );
    const copies = resourceOf(kinds.PodVolumeBackup);
    await eventually(
      () => client.list<Phased>(copies, { namespace, labelSelector: "velero.io/backup-name=b3" }),
      ([copy]) => copy?.status?.phase === "InProgress",
      minutes,
    );
    await headway("backup", "cancel", "b3");
    await eventually(
      () => phaseOf("b3"),
      (phase) => /Failed/.test(phase),
      minutes,
    );
    await client.delete(namespaces, big);

    // There is no third volume for the claim of a second shop, so that its files wait.
    const second = `${shopNamespace}-2`;
    await headway(
      "restore",
      "create",
      "r2",
      "--from-backup",
      "b1",
      "--namespace-mappings",
      `${shopNamespace}:${second}`,
    );
    await eventually(
      () =>
        client.list(resourceOf(kinds.PodVolumeRestore), {
          namespace,
          labelSelector: "velero.io/restore-name=r2",
        }),
      (made) => made.length === 2,
      minutes,
    );
    await headway("restore", "cancel", "r2");
    await eventually(
      () => client.get<Phased>(restores, "r2", { namespace }),
      ({ status }) => /Failed/.test(status?.phase ?? ""),
      minutes,
    );
    await headway("restore", "delete", "r2", "--confirm");
    await gone(restores, "r2", namespace);
    await client.delete(namespaces, second);
  });

  test("its API answers to a token of the cluster", async () => {
    const { client, namespace } = world;
    const spec = { expirationSeconds: 3600 };
    const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const place = { namespace, name: "headway", subresource: "token" };
    const { status } = await client.create<KubeObject & { status: { token: string } }>(
      accounts,
      asked,
      place,
    );
    const labelSelector = "app.kubernetes.io/name=headway";
    const [pod] = await client.list<KubeObject & { status: { podIP: string } }>(pods, {
      namespace,
      labelSelector,
    });
    const url = `http://${pod?.status.podIP}:8085/api/operations`;
    expect((await fetch(url)).status).toBe(401);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${status.token}` } });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await answer.json())).toContain("backup/");
  });

  test("with the rights of the other controllers alone: schedules, expiry, deletion, search, downloads", {
    timeout: minutes,
  }, async () => {
    const { client, namespace } = world;
    const only = ["--include-namespaces", shopNamespace, "--include-resources", "configmaps"];
    await headway("backup", "create", "b2", ...only, "--wait");
    await world.install(...exercised.filter((name) => !["backup", "restore"].includes(name)));
    await headway("schedule", "create", "often", "--schedule", "@every 15s");
    await eventually(
      () => client.list(backups, { namespace, labelSelector: "velero.io/schedule-name=often" }),
      (made) => made.length > 0,
      120_000,
    );
    await headway("schedule", "pause", "often");
    await create({
      apiVersion: "velero.io/v1",
      kind: "ServerStatusRequest",
      metadata: { name: "s", namespace },
    });
    await eventually(
      () => client.get<Phased>(requests, "s", { namespace }),
      ({ status }) => status?.phase === "Processed",
    );
    const long = new Date(0).toISOString();
    const past = { type: "merge", body: { status: { processedTimestamp: long, expiration: long } } } as const;
    await client.patch(requests, "s", past, { namespace });
    await gone(requests, "s", namespace);
    await create({
      apiVersion: "velero.io/v1",
      kind: "DownloadRequest",
      metadata: { name: "d", namespace },
      spec: { target: { kind: "BackupLog", name: "b1" } },
    });
    await eventually(
      () => client.get<Phased>(downloads, "d", { namespace }),
      ({ status }) => status?.phase === "Processed",
    );
    await client.patch(downloads, "d", past, { namespace });
    await gone(downloads, "d", namespace);
    // An object that was lost is found again in the bucket.
    const { metadata } = await client.get(backups, "b2", { namespace });
    await client.delete(backups, "b2", { namespace });
    await eventually(
      () => client.get<Backup>(backups, "b2", { namespace }).catch(() => undefined),
      (found) =>
        found !== undefined && found.metadata.uid !== metadata.uid && found.status?.phase === "Completed",
      120_000,
    );
    await client.patch(backups, "b2", past, { namespace });
    await gone(backups, "b2", namespace);
    await headway("backup", "delete", "b1", "--confirm");
    await gone(backups, "b1", namespace);
  });

  test("what was restored was written by the account of restores", () => {
    const events = world.asked("headway-restore");
    const wrote = events.filter(({ verb }) => ["create", "patch", "update"].includes(verb));
    expect(wrote.length).toBeGreaterThan(5);
    expect(refused(events)).toEqual([]);
    const own = world.asked("headway").filter(({ verb }) => ["create", "patch", "update"].includes(verb));
    const elsewhere = own.filter(
      ({ objectRef }) =>
        objectRef?.namespace !== undefined &&
        objectRef.namespace !== world.namespace &&
        !["events", "operations"].includes(objectRef.resource ?? "") &&
        objectRef.subresource !== "exec",
    );
    expect(elsewhere.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });

  test.each(["headway", "headway-agent"] as const)(
    "%s was refused nothing, and needs all that it may do",
    async (account) => {
      const few = await world.rights(account);
      await world.install(...exercised);
      const all = await world.rights(account);
      const events = world.asked(account);
      expect(events.length).toBeGreaterThan(30);
      expect(refused(events)).toEqual([]);
      const idle = [few, all].flatMap(({ own, cluster }) => [
        ...unused(own, events, world.namespace),
        ...unused(cluster, events),
      ]);
      const known = [...seldom.map(([pattern]) => pattern), forSnapshots[account]];
      expect(idle.filter((grant) => !known.some((pattern) => pattern.test(grant)))).toEqual([]);
    },
  );
});
