// A backup of 10,000 ConfigMaps of 1 kB (HEADWAY_BENCH_ITEMS changes the number) with a plugin program whose action applies to every
// item: our operator and upstream's server, each a process of its own, with the same program, on the same embedded cluster and the same
// S3 server, in turns. Needs `test/parts/build velero s3`.
import { loadavg } from "node:os";
import { type Backup, type BackupStorageLocation, kinds } from "../src/api/index.ts";
import { resourceOf } from "../src/kube/index.ts";
import { awsPlugin, missingAwsPlugin } from "../test/harness/aws-plugin.ts";
import { BackupStage, core } from "../test/harness/backup-stage.ts";
import { eventually } from "../test/harness/eventually.ts";
import { ItemPlugin, missingItemPlugin } from "../test/harness/item-plugin.ts";
import { findPart } from "../test/harness/parts.ts";
import { missingS3, type S3Server, startS3 } from "../test/harness/s3.ts";
import { awsLocation, VeleroServer } from "../test/harness/velero-server.ts";

const count = Number(process.env["HEADWAY_BENCH_ITEMS"] ?? 10_000);
const rounds = Number(process.env["HEADWAY_BENCH_ROUNDS"] ?? 3);
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const velero = findPart("velero", "HEADWAY_VELERO");
const missing = missingItemPlugin ?? missingAwsPlugin() ?? missingS3();

if (missing !== undefined || "missing" in velero) {
  console.log(`skipped: ${missing ?? ("missing" in velero ? velero.missing : "")}`);
} else {
  process.env["FIXTURE_ALL"] = "1"; // the fixture's last action then wants every item
  const plugin = new ItemPlugin();
  const [stage, s3] = await Promise.all([BackupStage.open(), startS3()]);
  try {
    await bench({ stage, s3, plugin, program: velero.program });
  } finally {
    await stage.close();
    await s3.stop();
    plugin.close();
  }
}

interface World {
  readonly stage: BackupStage;
  readonly s3: S3Server;
  readonly plugin: ItemPlugin;
  readonly program: string;
}

async function bench({ stage, s3, plugin, program }: World): Promise<void> {
  const spaces: string[] = [];
  for (let i = 0; i < 10; i++) {
    const space = await stage.app(`load-${i}`);
    await stage.configMaps(space, Math.ceil(count / 10), 1000);
    spaces.push(space);
  }
  const theirs = await stage.app("theirs");
  await stage.location("bench", theirs, awsLocation(s3, "theirs"));
  await ourLocation(stage, s3);
  const env = { FIXTURE_ALL: "1" };
  const plugins = [awsPlugin() ?? "", plugin.program];
  const ours = stage.process("backup,location", ["--plugin-dir", plugin.folder]);
  const server = new VeleroServer(stage, { program, plugins, namespace: theirs, s3, env });
  try {
    for (const namespace of [theirs, stage.namespace]) await available(stage, namespace);
    const times = { ours: [] as number[], upstream: [] as number[] };
    for (let i = 0; i < rounds; i++) {
      const load = loadavg()[0] ?? 0;
      const upstream = await once(stage, theirs, `bench-${i}`, spaces);
      const own = await once(stage, stage.namespace, `bench-${i}`, spaces);
      times.ours.push(own.seconds);
      times.upstream.push(upstream.seconds);
      console.log(
        `round ${i + 1}, load ${load.toFixed(1)}: upstream ${upstream.items} items in ${upstream.seconds.toFixed(2)} s; ours ${own.items} items in ${own.seconds.toFixed(2)} s`,
      );
    }
    const [a, b] = [median(times.upstream), median(times.ours)];
    console.log(
      `median: upstream ${a.toFixed(2)} s, ours ${b.toFixed(2)} s: ${(a / b).toFixed(1)} times as fast`,
    );
  } finally {
    ours.kill("SIGTERM");
    await server.close();
  }
}

async function ourLocation(stage: BackupStage, s3: S3Server): Promise<void> {
  const { client, namespace } = stage;
  const keys = `[default]\naws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`;
  await client.create(core("secrets", "Secret"), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "bucket", namespace },
    data: { cloud: Buffer.from(keys).toString("base64") },
  });
  const credential = { name: "bucket", key: "cloud" };
  await stage.location("bench", namespace, { ...awsLocation(s3, "ours"), default: false, credential });
}

async function available(stage: BackupStage, namespace: string): Promise<void> {
  await eventually(
    () => stage.client.get<BackupStorageLocation>(locations, "bench", { namespace }),
    ({ status }) => status?.phase === "Available",
    90_000,
  );
}

async function once(stage: BackupStage, namespace: string, name: string, spaces: readonly string[]) {
  const start = performance.now();
  await stage.client.create<Backup>(backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace },
    spec: { includedNamespaces: [...spaces], snapshotVolumes: false, storageLocation: "bench" },
  });
  const { status } = await eventually(
    () => stage.client.get<Backup>(backups, name, { namespace }),
    (one) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(one.status?.phase ?? ""),
    500_000,
  );
  if (status?.phase !== "Completed")
    throw new Error(`backup "${name}" in "${namespace}": ${JSON.stringify(status)}`);
  return { seconds: (performance.now() - start) / 1000, items: status.progress?.itemsBackedUp ?? 0 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
