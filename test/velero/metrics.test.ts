import { afterAll, beforeAll, expect, test } from "vitest";
import { type BackupStorageLocation, type KindName, type KubeObject, kinds } from "../../src/api/index.ts";
import { resourceOf } from "../../src/kube/index.ts";
import { awsPlugin, missingAwsPlugin } from "../harness/aws-plugin.ts";
import { BackupStage } from "../harness/backup-stage.ts";
import { eventually } from "../harness/eventually.ts";
import { readExposition } from "../harness/exposition.ts";
import { freePort } from "../harness/free-port.ts";
import { findPart } from "../harness/parts.ts";
import { missingS3, type S3Server, startS3 } from "../harness/s3.ts";
import { awsLocation, VeleroServer } from "../harness/velero-server.ts";

// The same work under upstream's server and under ours, each in a namespace of its own: the same names, labels and numbers under velero_*.
const found = findPart("velero", "HEADWAY_VELERO");
const skip = ("missing" in found ? found.missing : undefined) ?? missingAwsPlugin() ?? missingS3();

/** Later releases than 1.17 have these. */
const later = /^velero_(schedule_expected_interval_seconds|repo_maintenance_)/;
/** Numbers that depend on the clock or on how the archive was packed: that they are there is compared. */
const variable =
  /^velero_backup_(last_successful_timestamp|tarball_size_bytes|duration_seconds_(sum|bucket))/;

/** Upstream looks at a refused restore again before it sees its own refusal, now and then, and counts it again. */
const counted = /^velero_restore_(attempt|validation_failed)_total\{schedule=""\}$/;

let stage: BackupStage;
let s3: S3Server;
let server: VeleroServer | undefined;
let theirs: string;
let shop: string;
let [theirPort, ourPort] = [0, 0];
beforeAll(async () => {
  if (skip !== undefined) return;
  [stage, s3] = await Promise.all([BackupStage.open(), startS3()]);
  [theirs, shop] = [await stage.app("theirs"), await stage.app("shop")];
  [theirPort, ourPort] = [await freePort(), await freePort()];
  await stage.configMaps(shop, 5);
  await upstreamDeployment();
  await stage.location("default", theirs, awsLocation(s3, theirs));
  server = new VeleroServer(stage, {
    program: "program" in found ? found.program : "",
    plugins: [awsPlugin() ?? ""],
    namespace: theirs,
    s3,
    metricsAddress: `127.0.0.1:${theirPort}`,
  });
  stage.operator(undefined, undefined, { serve: { address: `127.0.0.1:${ourPort}`, token: "t" } });
  for (const namespace of both())
    await reaches<BackupStorageLocation>("BackupStorageLocation", namespace, "default", /^Available$/);
}, 180_000);
afterAll(async () => {
  await server?.close();
  await stage?.close();
  await s3?.stop();
});

/** Upstream's restores read their own Deployment, for the image of init containers. */
async function upstreamDeployment(): Promise<void> {
  const labels = { app: "velero" };
  const deployments = {
    group: "apps",
    version: "v1",
    plural: "deployments",
    kind: "Deployment",
    namespaced: true,
  };
  await stage.client.create(deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "velero", namespace: theirs },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "velero", image: "velero/velero:v1.17.1" }] },
      },
    },
  } as KubeObject);
}

const both = () => [theirs, stage.namespace];

async function make(kind: KindName, namespace: string, name: string, spec: object, labels = {}) {
  const { group, version } = kinds[kind];
  await stage.client.create(resourceOf(kinds[kind]), {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace, labels },
    spec,
  });
}

async function reaches<T extends KubeObject & { status?: { phase?: string } }>(
  kind: KindName,
  namespace: string,
  name: string,
  phase: RegExp,
): Promise<void> {
  await eventually(
    () => stage.client.get<T>(resourceOf(kinds[kind]), name, { namespace }),
    ({ status }) => phase.test(status?.phase ?? ""),
    90_000,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\nupstream said: ${server?.said.slice(-4_000)}`);
  });
}

/** The numbers under velero_*, by name and sorted labels. */
async function told(port: number): Promise<ReadonlyMap<string, number | "there">> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: "Bearer t" },
  });
  const text = await response.text();
  const own = text.split("\n").filter((line) => /^(# (HELP|TYPE) )?velero_/.test(line));
  const { samples } = readExposition(`${own.join("\n")}\n`);
  const entries = [...samples].filter(([key]) => !later.test(key));
  return new Map(entries.map(([key, value]) => [sorted(key), variable.test(key) ? "there" : value]));
}

function sorted(key: string): string {
  const [, name = "", labels = ""] = /^([^{]+)(?:\{(.*)\})?$/.exec(key) ?? [];
  return `${name}{${labels.split(",").toSorted().join(",")}}`;
}

/** The work of which both servers tell. */
async function work(namespace: string): Promise<void> {
  await make("Schedule", namespace, "nightly", {
    schedule: "0 1 1 1 *",
    template: { includedNamespaces: [shop] },
  });
  await reaches("Schedule", namespace, "nightly", /^Enabled$/);
  const spec = { includedNamespaces: [shop], snapshotVolumes: false, storageLocation: "default" };
  await make("Backup", namespace, "plain", spec);
  await reaches("Backup", namespace, "plain", /^Completed$/);
  for (const name of ["scheduled", "kept"]) {
    await make("Backup", namespace, name, spec, { "velero.io/schedule-name": "nightly" });
    await reaches("Backup", namespace, name, /^Completed$/);
  }
  await make("Backup", namespace, "refused", { ...spec, storageLocation: "nowhere" });
  await reaches("Backup", namespace, "refused", /^FailedValidation$/);
  await make("Restore", namespace, "again", {
    backupName: "plain",
    namespaceMapping: { [shop]: `${shop}-${namespace === theirs ? "t" : "o"}` },
  });
  await reaches("Restore", namespace, "again", /^Completed$/);
  await make("Restore", namespace, "refused", { backupName: "nothing" });
  await reaches("Restore", namespace, "refused", /^FailedValidation$/);
  await make("DeleteBackupRequest", namespace, "go", { backupName: "scheduled" });
  await eventually(
    () => stage.client.list(resourceOf(kinds.Backup), { namespace }),
    (all) => !all.some(({ metadata }) => metadata.name === "scheduled"),
    60_000,
  );
}

test.skipIf(skip)(
  `upstream's server and ours tell the same metrics of the same work ${skip ?? ""}`,
  { timeout: 300_000 },
  async () => {
    await Promise.all(both().map(work));
    const difference = async () => {
      const [upstream, ours] = [await told(theirPort), await told(ourPort)];
      expect(upstream.size).toBeGreaterThan(40);
      const keys = [...new Set([...upstream.keys(), ...ours.keys()])].toSorted();
      return keys.flatMap((key) => {
        const [a, b] = [upstream.get(key), ours.get(key)];
        const isSame = counted.test(key) ? Number(a) >= Number(b) && Number(b) > 0 : a === b;
        return isSame ? [] : [`${key}: upstream ${a}, ours ${b}`];
      });
    };
    // Upstream counts its objects once a minute.
    const left = await eventually(difference, (lines) => lines.length === 0, 100_000).catch(difference);
    expect(left).toEqual([]);
    const ours = await told(ourPort);
    expect(ours.get('velero_restore_attempt_total{schedule=""}')).toBe(2);
    expect(ours.get('velero_restore_validation_failed_total{schedule=""}')).toBe(1);
  },
);
