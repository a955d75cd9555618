import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubeObject, kinds, type OperationObject, type Restore } from "../../../src/api/index.ts";
import { builtIn, isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { S3Store } from "../../../src/store/index.ts";
import { BackupStage, core } from "../../harness/backup-stage.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";

const skip = missingS3();
const prefix = `two-${crypto.randomUUID().slice(0, 8)}`;
const restores = resourceOf(kinds.Restore);
const operations = resourceOf(kinds.Operation);

// What a run taught lies beside the backup in its bucket: a cluster that never saw the application has it from there.
describe.skipIf(skip !== undefined)(`two clusters, one bucket${skip ? ` (skipped: ${skip})` : ""}`, () => {
  let server: S3Server;
  let here: BackupStage;
  let there: BackupStage;
  let shop: string;

  beforeAll(async () => {
    server = await startS3();
    here = await BackupStage.open();
    there = await BackupStage.open({ another: true });
    shop = await here.app("two-shop");
    await here.configMaps(shop, 1_200, 1_000);
    for (const stage of [here, there]) {
      await installDefinitions(stage.client);
      await share(stage);
    }
  });
  afterAll(async () => {
    await bucket().deletePrefix(`${prefix}/`);
    await there.close();
    await here.close();
    await server.stop();
  });

  /** The one bucket, as a location of a cluster. */
  async function share(stage: BackupStage): Promise<void> {
    await stage.client.create(core("secrets", "Secret"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "cloud", namespace: stage.namespace },
      data: { cloud: Buffer.from(credentials()).toString("base64") },
    });
    await stage.location("shared", stage.namespace, {
      provider: "aws",
      backupSyncPeriod: "1s",
      objectStorage: { bucket: server.bucket, prefix },
      config: config(),
      credential: { name: "cloud", key: "cloud" },
    });
  }

  function config(): Record<string, string> {
    return { region: server.region, s3ForcePathStyle: "true", s3Url: server.endpoint };
  }

  function credentials(): string {
    return `[default]\naws_access_key_id=${server.accessKeyId}\naws_secret_access_key=${server.secretAccessKey}\n`;
  }

  function bucket(): S3Store {
    return new S3Store({ bucket: server.bucket, credentials: credentials(), config: config() });
  }

  function history(stage: BackupStage): Promise<string[]> {
    const place = { namespace: stage.namespace };
    return stage.client
      .get<KubeObject & { data?: Record<string, string> }>(builtIn.configMaps, "headway-history", place)
      .then(({ data = {} }) => Object.keys(data), orNothing([]));
  }

  test("a restore on a cluster that never saw the application tells an estimate from its first seconds", async () => {
    here.operator();
    await here.create("nightly", { includedNamespaces: [shop], storageLocation: "shared" });
    expect((await here.ended("nightly")).status).toMatchObject({ phase: "Completed" });
    await eventually(
      () => bucket().head(`${prefix}/backups/nightly/nightly-headway-history.json.gz`),
      (found) => found !== undefined,
    );

    there.operator();
    expect(await history(there)).toEqual([]);
    await eventually(
      () => history(there),
      (keys) => keys.some((key) => key.startsWith("restore.")),
    );
    const place = { namespace: there.namespace };
    await there.client.create<Restore>(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: "back", ...place },
      spec: { backupName: "nightly" },
    });
    // Asked until it has ended: a run without history says nothing but "too early" for its first ten seconds.
    const told: NonNullable<OperationObject["status"]>[] = [];
    await eventually(
      async () => {
        const { status } = await there.client.get<OperationObject>(operations, "restore-back", place).catch(
          orNothing<OperationObject>({
            apiVersion: "headway.dev/v1alpha1",
            kind: "Operation",
            metadata: { name: "" },
          }),
        );
        if (status) told.push(status);
        return status?.state;
      },
      (state) => state === "completed",
    );
    const etas = told.flatMap(({ state, eta }) => (state === "running" && eta ? [eta] : []));
    const first = etas.findIndex((eta) => !("unknown" in eta));
    expect(etas[first], JSON.stringify(etas)).toMatchObject({
      seconds: expect.any(Number),
      low: expect.any(Number),
      high: expect.any(Number),
    });
    expect(first, "from the first words on").toBeLessThan(Math.max(3, etas.length / 3));
  });
});

/** What is not there yet is nothing; any other failure is one. */
function orNothing<T>(nothing: T) {
  return (error: unknown): T => {
    if (isNotFound(error)) return nothing;
    throw error;
  };
}
