import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubeObject, kinds, readPercent } from "../../../src/api/index.ts";
import { Informer, resourceOf } from "../../../src/kube/index.ts";
import { ActionStage, image, type Status, type } from "../../harness/action-stage.ts";
import { findTestMover } from "../../harness/movers.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";

const isReal = process.env["HEADWAY_TEST_CLUSTER"] === "1";
/** An image of this program that the real node has. */
const ownOnNode = process.env["HEADWAY_CLUSTER_IMAGE"];
const noOwn =
  isReal && ownOnNode === undefined ? "HEADWAY_CLUSTER_IMAGE names no image of this program" : undefined;
type PodObject = KubeObject & {
  readonly spec?: { readonly containers?: readonly { readonly command?: readonly string[] }[] };
};
const missing = [findTestMover("kopia"), findTestMover("restic")].flatMap((one) =>
  "missing" in one ? [one.missing] : [],
);
const noS3 =
  isReal && process.env["S3_ENDPOINT"] === undefined
    ? "S3_ENDPOINT names no server that pods reach"
    : missingS3();

let stage: ActionStage;
let s3: S3Server | undefined;
let started: { readonly commands: string[][]; stop(): Promise<void> };
beforeAll(async () => {
  stage = await ActionStage.open();
  stage.operator({ own });
  started = watchStarts();
  if (noS3 === undefined) s3 = await startS3();
  await stage.workload("StatefulSet", "db", { claim: "data" });
  await stage.exec(
    "db-0",
    "sh",
    "-c",
    "for i in 1 2 3 4 5 6; do head -c 4000000 /dev/urandom > /data/part-$i; done; echo first > /data/text",
  );
});
afterAll(async () => {
  await s3?.stop();
  await started.stop();
  await stage.close();
});

/** The image that holds the program of ours, by the word of the operator; pods of the embedded cluster ignore its name. */
const own = isReal
  ? { image: ownOnNode ?? "", command: ["/usr/local/bin/node", "/opt/headway/bin/headway.js"] }
  : {
      image: "headway:test",
      command: [process.execPath, join(import.meta.dirname, "../../../bin/headway.js")],
    };

/** What the pods of actions were started with, in the order in which they came. */
function watchStarts() {
  const commands: string[][] = [];
  const stop = new AbortController();
  const informer = new Informer<PodObject, readonly string[]>({
    client: stage.client,
    resource: type("pods", "Pod"),
    query: { namespace: stage.namespace, labelSelector: "createdBy=kanister" },
    project: ({ spec }) => spec?.containers?.[0]?.command ?? [],
    onChange: (_, now, before) => {
      if (now && !before) commands.push([...now]);
    },
  });
  const done = informer.run(stop.signal);
  return { commands, stop: () => (stop.abort(), done) };
}

/** A profile: a folder that pods of the embedded cluster see, or the S3 server. */
async function profile(
  name: string,
  where: "folder" | "s3",
  mover?: string,
): Promise<{ name: string; namespace: string }> {
  const { client, namespace } = stage;
  const metadata = { name, namespace, ...(mover && { annotations: { "headway.dev/data-mover": mover } }) };
  const keyPair = { idField: "id", secretField: "key", secret: { name: `${name}-keys`, namespace } };
  if (where === "s3") {
    await client.create(type("secrets", "Secret"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${name}-keys`, namespace },
      stringData: { id: s3?.accessKeyId, key: s3?.secretAccessKey },
    });
  }
  mkdirSync(join(stage.folder, "store"), { recursive: true });
  // Pods of the real cluster reach the server by the address of the API server.
  const endpoint = isReal ? (s3?.endpoint ?? "").replace("127.0.0.1", "10.96.0.1") : s3?.endpoint;
  const location =
    where === "s3"
      ? { type: "s3Compliant", bucket: s3?.bucket, endpoint, region: s3?.region }
      : { type: "filesystem", bucket: "b", endpoint: join(stage.folder, "store") };
  await client.create(resourceOf(kinds.Profile), {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Profile",
    metadata,
    location,
    ...(where === "s3" && { credential: { type: "keyPair", keyPair } }),
  });
  return { name, namespace };
}

const prefix = () => `shop-${stage.namespace}`;
const object = () => ({ kind: "StatefulSet", name: "db", namespace: stage.namespace });
const namespace = "{{ .StatefulSet.Namespace }}";

/** Backs up, damages, restores, deletes; returns what happened on the way. */
async function roundTrip(name: string, given: { name: string; namespace: string }, image: string) {
  const backupArtifactPrefix = `${prefix()}/${name}`;
  await stage.blueprint(name, {
    backup: {
      outputArtifacts: {
        copy: {
          keyValue: {
            id: "{{ .Phases.copy.Output.backupID }}",
            at: "{{ .Phases.copy.Output.backupArtifactLocation }}",
          },
        },
      },
      phases: [
        {
          func: "CopyVolumeData",
          name: "copy",
          args: {
            namespace,
            volume: "data",
            dataArtifactPrefix: backupArtifactPrefix,
            image,
            encryptionKey: "canary-key",
          },
        },
        {
          func: "BackupDataStats",
          name: "stats",
          args: {
            namespace,
            backupArtifactPrefix,
            backupID: "{{ .Phases.copy.Output.backupID }}",
            encryptionKey: "canary-key",
            image,
          },
        },
        {
          func: "CheckRepository",
          name: "check",
          args: { backupArtifactPrefix, encryptionKey: "canary-key", image },
        },
        {
          func: "CheckRepository",
          name: "checkWrong",
          args: { backupArtifactPrefix, encryptionKey: "another", image },
        },
      ],
    },
    restore: {
      phases: [
        {
          func: "RestoreData",
          name: "restore",
          args: {
            namespace,
            image,
            backupArtifactPrefix: "{{ .ArtifactsIn.copy.KeyValue.at }}",
            backupIdentifier: "{{ .ArtifactsIn.copy.KeyValue.id }}",
            volumes: { data: "/mnt/vol_data/data" },
            encryptionKey: "canary-key",
          },
        },
        {
          func: "DeleteData",
          name: "delete",
          args: {
            namespace,
            backupArtifactPrefix,
            backupID: "{{ .ArtifactsIn.copy.KeyValue.id }}",
            encryptionKey: "canary-key",
            reclaimSpace: true,
            image,
          },
        },
        // The operator deletes by itself; in this test it is not where the pods' address of the server leads.
        ...(isReal
          ? []
          : [{ func: "LocationDelete", name: "away", args: { artifact: backupArtifactPrefix } }]),
      ],
    },
  });
  await stage.set(`${name}-b`, { name: "backup", blueprint: name, object: object(), profile: given });
  const backup = await stage.history(`${name}-b`, 180_000);
  expect(backup.at(-1)?.error?.message).toBe("");
  await stage.exec("db-0", "sh", "-c", "rm /data/part-1; echo second > /data/text");
  const artifacts = backup.at(-1)?.actions?.[0]?.artifacts ?? {};
  await stage.set(`${name}-r`, {
    name: "restore",
    blueprint: name,
    object: object(),
    profile: given,
    artifacts,
  });
  const restore = await stage.history(`${name}-r`, 180_000);
  expect(restore.at(-1)?.error?.message).toBe("");
  return { backup, restore };
}

function outputs(history: readonly Status[], phase: number) {
  return history.at(-1)?.actions?.[0]?.phases?.[phase]?.output ?? {};
}

/** Pods of a real cluster do not see this machine's folders. */
const ways = (
  [
    ["kopia", "folder", "the image of others"],
    ["restic", "folder", "our image"],
    ["kopia", "s3", "the image of others"],
    ["kopia", "s3", "our image"],
  ] as const
).filter(([, where]) => where === "s3" || !isReal);
describe.each(ways)("%s into a %s in %s", (mover, where, whose) => {
  const isOurs = whose === "our image";
  const why = missing[0] ?? (where === "s3" ? noS3 : undefined) ?? (isOurs ? noOwn : undefined);
  test.skipIf(why !== undefined)(
    `a volume goes and comes back with progress${why ? ` (skipped: ${why})` : ""}`,
    async () => {
      const name = `${mover}-${where}${isOurs ? "-own" : ""}`;
      const before = await stage.exec("db-0", "sh", "-c", "cd /data && sha256sum part-1 text");
      started.commands.length = 0;
      const { backup, restore } = await roundTrip(
        name,
        await profile(name, where, mover === "restic" ? "restic" : undefined),
        isOurs ? own.image : image,
      );
      // Copy, stats, two checks, restore and deletion: each by the one command, and nothing else on its command line.
      const tasks = started.commands.filter((words) => words.includes("data-task"));
      expect(started.commands).toHaveLength(6);
      expect(tasks).toEqual(isOurs ? Array.from({ length: 6 }, () => [...own.command, "data-task"]) : []);
      expect(outputs(backup, 0)).toMatchObject({
        // restic before 0.17 tells the short form.
        backupID: expect.stringMatching(
          mover === "kopia" ? /^[0-9a-f]{32}$/ : /^([0-9a-f]{8}|[0-9a-f]{64})$/,
        ),
        fileCount: "7",
        size: "22.888 MiB",
        backupRoot: "/mnt/vol_data/data",
        version: "v0.0.0",
      });
      expect(outputs(backup, 1)).toMatchObject({ size: "22.888 MiB", mode: "restore-size" });
      expect(outputs(backup, 2)).toMatchObject({ passwordIncorrect: "false", repoUnavailable: "false" });
      expect(outputs(backup, 3)).toMatchObject({ passwordIncorrect: "true" });
      const copies = backup.map(({ actions }) => actions?.[0]?.phases?.[0]?.progress);
      const shares = copies.map((progress) => readPercent(progress?.progressPercent) ?? 0);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      if (mover === "kopia") expect(copies.at(-1)).toMatchObject({ sizeUploadedB: expect.any(Number) });
      expect(await stage.exec("db-0", "sh", "-c", "cd /data && sha256sum part-1 text")).toBe(before);
      expect(outputs(restore, 1)["spaceFreed"]).toMatch(/ (B|KiB|MiB)$/);
      await expect.poll(() => stage.pods(), { timeout: 30_000 }).toEqual([]);
      const secrets = await stage.client.list(type("secrets", "Secret"), {
        namespace: stage.namespace,
        labelSelector: "headway.dev/actionset-uid",
      });
      expect(secrets).toEqual([]);
      const text = JSON.stringify([...backup, ...restore]);
      expect(text).not.toContain("canary-key");
      if (s3) expect(text).not.toContain(s3.secretAccessKey);
    },
  );
});

const whyNoStore = missing[0] ?? (isReal ? noS3 : undefined);
test.skipIf(whyNoStore !== undefined)(
  "BackupData and BackupDataAll work in the application's own container; RestoreDataAll and DeleteDataAll undo them",
  async () => {
    const given = await profile("inside", isReal ? "s3" : "folder");
    const backupArtifactPrefix = `${prefix()}/inside`;
    const common = { namespace, container: "main", includePath: "/data" };
    await stage.blueprint("inside", {
      run: {
        phases: [
          {
            func: "BackupData",
            name: "one",
            args: {
              ...common,
              pod: "{{ index .StatefulSet.Pods 0 }}",
              backupArtifactPrefix: `${backupArtifactPrefix}-one`,
            },
          },
          { func: "BackupDataAll", name: "all", args: { ...common, backupArtifactPrefix } },
          {
            func: "KubeExec",
            name: "damage",
            args: { namespace, pod: "db-0", command: ["sh", "-c", "rm /data/text"] },
          },
          {
            func: "RestoreDataAll",
            name: "back",
            args: {
              namespace,
              image,
              backupArtifactPrefix,
              backupInfo: "{{ .Phases.all.Output.BackupAllInfo }}",
            },
          },
          {
            func: "DeleteDataAll",
            name: "gone",
            args: {
              namespace,
              backupArtifactPrefix,
              backupInfo: "{{ .Phases.all.Output.BackupAllInfo }}",
              image,
            },
          },
        ],
      },
    });
    await stage.set("inside", { name: "run", blueprint: "inside", object: object(), profile: given });
    const history = await stage.history("inside", 180_000);
    expect(history.at(-1)).toMatchObject({ state: "complete", error: { message: "" } });
    expect(outputs(history, 0)).toMatchObject({
      backupID: expect.any(String),
      backupTag: expect.any(String),
      version: "v0.0.0",
    });
    const info = JSON.parse(String(outputs(history, 1)["BackupAllInfo"])) as Record<string, object>;
    expect(info["db-0"]).toMatchObject({ PodName: "db-0", BackupID: expect.any(String) });
    expect((await stage.exec("db-0", "cat", "/data/text")).trim()).toMatch(/first/);
  },
);
