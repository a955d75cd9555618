import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type KubeObject,
  kinds,
  type MigMigration,
  type MigPlan,
  type MigVolume,
} from "../../../src/api/index.ts";
import { builtIn, Cache, Informer, resourceOf } from "../../../src/kube/index.ts";
import { Observer } from "../../../src/observe/index.ts";
import { isTerminal, type Operation } from "../../../src/progress/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { noSides, type Side } from "../../harness/migration-sides.ts";
import {
  ended,
  inShop,
  type MigrationWorld,
  makeShop,
  migMigrations,
  migPlans,
  migrate,
  openMigrationWorld,
  readyPlan,
  server,
  shopFile,
} from "../../harness/migration-world.ts";

const why = noSides();
if (why) console.log(`migrations with data are skipped: ${why}`);
let world: MigrationWorld;
beforeAll(async () => {
  if (why) return;
  world = await openMigrationWorld({ third: true });
  world.host();
}, 180_000);
afterAll(() => world?.close(), 60_000);

/** Watches a migration as a viewer does, and how long after its object each step is seen. */
async function sample(name: string) {
  const { client } = world.home;
  const stop = new AbortController();
  const observer = new Observer({ cache: new Cache({ client }) });
  const running = observer.run(stop.signal);
  await observer.synced();
  const fractions: number[] = [];
  const titles = new Set<string>();
  const writtenAt = new Map<string, number>();
  const lagsMs = new Map<string, number>();
  let without = 0;
  /** What the operator publishes for everybody, with what earlier runs taught it. */
  const left: (number | undefined)[] = [];
  const published = new Informer<Published, undefined>({
    client,
    resource: resourceOf(kinds.Operation),
    query: { namespace: server },
    project: ({ metadata, status }) => {
      const isIt = metadata.ownerReferences?.some((owner) => owner.name === name) === true;
      if (isIt && status?.eta) left.push(status.eta.seconds);
      return undefined;
    },
  });
  const reading = published.run(stop.signal);
  const collect = (operation: Operation) => {
    titles.add(operation.title);
    operation.children.forEach(collect);
  };
  const informer = new Informer<MigMigration, undefined>({
    client,
    resource: migMigrations,
    query: { namespace: server, fieldSelector: `metadata.name=${name}` },
    project: ({ status }) => {
      for (const { name: step, started } of status?.pipeline ?? []) {
        if (started && !writtenAt.has(step)) writtenAt.set(step, performance.now());
      }
      return undefined;
    },
  });
  const watching = informer.run(stop.signal);
  try {
    await new Promise<void>((resolve) => {
      observer.subscribe(({ id, operation }) => {
        if (id !== `migmigration/${server}/${name}` || !operation) return;
        if (operation.fraction !== undefined) fractions.push(operation.fraction);
        if (operation.state === "running" && !operation.eta) without += 1;
        collect(operation);
        for (const { title, startedAt } of operation.children) {
          const at = writtenAt.get(title);
          if (startedAt !== undefined && !lagsMs.has(title))
            lagsMs.set(title, Math.max(0, performance.now() - (at ?? performance.now())));
        }
        if (isTerminal(operation.state)) resolve();
      });
    });
  } finally {
    stop.abort();
    await Promise.all([running, watching, reading]);
  }
  return { fractions, without, lagsMs, titles, left };
}

const isEmbedded = process.env["HEADWAY_TEST_CLUSTER"] !== "1";
const nfs = { server: "files.example", path: "/library" };
type Claim = KubeObject & {
  readonly spec?: { readonly storageClassName?: string; readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
};
type Published = KubeObject & { readonly status?: { readonly eta?: { readonly seconds?: number } } };
const byClaim = (a: MigVolume, b: MigVolume) => ((a.pvc?.name ?? "") < (b.pvc?.name ?? "") ? -1 : 1);

/** A claim on files that both clusters reach; nothing here mounts it. */
async function makeLibrary({ client }: Side, namespace: string): Promise<void> {
  const name = `library-${namespace}`;
  const spec = { accessModes: ["ReadWriteMany"], storageClassName: "" };
  await client.create(builtIn.volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: { ...spec, nfs, capacity: { storage: "1Gi" }, claimRef: { namespace, name: "library" } },
  });
  await client.create(builtIn.claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "library", namespace },
    spec: { ...spec, volumeName: name, resources: { requests: { storage: "1Gi" } } },
  });
  await eventually(
    () => client.get<Claim>(builtIn.claims, "library", { namespace }),
    ({ status }) => status?.phase === "Bound",
  );
}

/** What moves is not copied: the same place, for a claim of the new namespace, whose uid is returned. */
async function expectMoved({ client }: Side, namespace: string): Promise<string | undefined> {
  const library = await eventually(
    () => client.get<Claim>(builtIn.claims, "library", { namespace }),
    ({ status }) => status?.phase === "Bound",
  );
  expect(await client.get(builtIn.volumes, library.spec?.volumeName ?? "")).toMatchObject({
    spec: { nfs, persistentVolumeReclaimPolicy: "Retain", claimRef: { namespace } },
  });
  return library.metadata.uid;
}

/** The backups that copied a volume, once for each copy. */
async function copiedBy({ client }: Side): Promise<readonly string[]> {
  const copies = await client.list(resourceOf(kinds.PodVolumeBackup), { namespace: server });
  return copies
    .map(({ metadata }) => metadata.labels?.["velero.io/backup-name"]?.replace(/-[^-]+$/, "") ?? "")
    .toSorted();
}

async function makeClass({ client }: Side, name: string): Promise<void> {
  const [given] = await client.list<KubeObject & { readonly provisioner?: string }>(builtIn.storageClasses);
  await client.create(builtIn.storageClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: given?.provisioner,
    reclaimPolicy: "Delete",
  });
}

/** Chooses as a person does: the library moves, the data get another class. */
async function choose(storageClass: string | undefined): Promise<MigPlan> {
  const { client } = world.home;
  const read = () => client.get<MigPlan>(migPlans, "shop", { namespace: server });
  const found = await eventually(read, ({ spec }) => spec?.persistentVolumes?.length === 2);
  const persistentVolumes = found.spec?.persistentVolumes?.map((volume) =>
    volume.pvc?.name === "library"
      ? { ...volume, selection: { action: "move" } }
      : { ...volume, selection: { ...volume.selection, ...(storageClass && { storageClass }) } },
  );
  const body = { spec: { persistentVolumes } };
  await client.patch(migPlans, "shop", { type: "merge", body }, { namespace: server });
  return eventually(
    read,
    ({ spec, status }) =>
      spec?.persistentVolumes?.some(({ selection }) => selection.action === "move") === true &&
      status?.conditions?.some(({ type }) => type === "Ready") === true,
  );
}

const types = (status: { conditions?: readonly { type: string }[] } | undefined) =>
  status?.conditions?.map(({ type }) => type);

test.skipIf(why !== undefined)(
  "Stage, then Final: the application comes to the destination with the data it had last",
  async () => {
    const { blue, green } = world;
    const app = world.space("shop");
    const target = world.space("moved");
    // Its pods ask for copies of their volume in every backup, as those of a cluster with backups do.
    const annotations = { "backup.velero.io/backup-volumes": "data" };
    await makeShop(blue, app, { kilobytes: 20_000, annotations });
    await makeLibrary(blue, app);
    if (isEmbedded) await makeClass(green, "fast");
    await readyPlan(world, "shop", [`${app}:${target}`]);
    const plan = await choose(isEmbedded ? "fast" : undefined);
    expect(plan.spec?.persistentVolumes?.toSorted(byClaim)).toMatchObject([
      {
        pvc: { namespace: app, name: "data", hasReference: true },
        selection: { action: "copy", copyMethod: "filesystem" },
      },
      { pvc: { namespace: app, name: "library" }, selection: { action: "move" } },
    ]);

    await migrate(world, "shop", "ahead", { stage: true });
    const stage = await ended(world, "ahead");
    expect(stage.status?.errors).toBeUndefined();
    expect(types(stage.status)).toEqual(["Succeeded"]);
    expect(stage.status?.pipeline?.map(({ name, message }) => `${name} ${message}`)).toEqual([
      "Prepare Completed",
      "VolumeBackup Completed",
      "VolumeRestore Completed",
      "Final Completed",
    ]);
    const moved = await expectMoved(green, target);
    // The application goes on meanwhile: one file is new, one is gone when the final run comes.
    await inShop(blue, app, ["sh", "-c", "echo late > /data/late; rm /data/sum; echo ok"]);
    const file = await inShop(blue, app, ["sha256sum", "/data/file"]);

    const sampled = sample("move");
    await migrate(world, "shop", "move", { quiescePods: true, verify: true });
    const final = await ended(world, "move");
    const { fractions, without, lagsMs, titles, left } = await sampled;
    expect(fractions.length).toBeGreaterThan(10);
    expect(fractions.every((share, i) => share >= (fractions[i - 1] ?? 0))).toBe(true);
    expect(fractions.slice(0, -1).every((share) => share < 1)).toBe(true);
    expect(fractions.at(-1)).toBe(1);
    // An estimate, or the reason why there is none yet, at every moment.
    expect(without).toBe(0);
    // The stage run taught it: what the operator publishes for everybody is an estimate of the whole, also of so short a run.
    expect(left.filter((seconds) => seconds !== undefined).length, JSON.stringify(left)).toBeGreaterThan(0);
    expect(Math.max(...lagsMs.values())).toBeLessThan(2_000);
    expect([...lagsMs.keys()]).toEqual([
      "Prepare",
      "Backup",
      "VolumeBackup",
      "VolumeRestore",
      "Restore",
      "Final",
    ]);
    expect(
      [...titles]
        .filter((title) => title.endsWith("/data (blue)") || title.endsWith("/data (green)"))
        .toSorted(),
    ).toEqual([`claim ${target}/data (green)`, `claim ${app}/data (blue)`]);
    expect(final.status?.errors).toBeUndefined();
    expect(final.status).toMatchObject({ itinerary: "Final", phase: "Completed", step: "Final" });
    expect(types(final.status)).toEqual(["Succeeded"]);
    expect(final.status?.pipeline?.every(({ message, failed }) => message === "Completed" && !failed)).toBe(
      true,
    );
    expect(await shopFile(green, target, "late")).toBe("late\n");
    expect(await inShop(green, target, ["sha256sum", "/data/file"])).toBe(file);
    expect(await inShop(green, target, ["ls", "/data"])).not.toContain("sum");
    const data = await green.client.get<Claim>(builtIn.claims, "data", { namespace: target });
    if (isEmbedded) expect(data.spec?.storageClassName).toBe("fast");
    expect(await expectMoved(green, target)).toBe(moved);
    expect(await copiedBy(blue)).toEqual(["ahead-stage", "move-stage"]);
    const settings = await green.client.get(builtIn.configMaps, "settings", {
      namespace: target,
    });
    expect(settings).toMatchObject({ data: { theme: "winter" } });
  },
  600_000,
);
