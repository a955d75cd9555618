import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/kube/index.ts";
import { Plugins } from "../../../src/plugins/index.ts";
import type { Store } from "../../../src/store/index.ts";
import { awsPlugin, missingAwsPlugin, pluginProcesses } from "../../harness/aws-plugin.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";

const missing = missingAwsPlugin() ?? missingS3();
const { signal } = new AbortController();
const key = (name: string) => `plugins/${crypto.randomUUID()}/${name}`;

describe.skipIf(missing)(`the real plugin for AWS ${missing ?? ""}`, () => {
  let s3: S3Server;
  let folder: string;
  let plugins: Plugins;
  let store: Store;
  let close: () => Promise<void>;
  const log: string[] = [];

  beforeAll(async () => {
    s3 = await startS3();
    folder = mkdtempSync(join(tmpdir(), "aws-plugin-"));
    writeFileSync(
      join(folder, "credentials"),
      `[default]\naws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`,
    );
    plugins = new Plugins({
      folders: [dirname(awsPlugin() ?? "")],
      namespace: "velero",
      clock: systemClock,
      log: (_level, message) => void log.push(message),
    });
    const config = {
      region: s3.region,
      s3Url: s3.endpoint,
      s3ForcePathStyle: "true",
      credentialsFile: join(folder, "credentials"),
    };
    ({ store, close } = await plugins.openObjectStore("aws", { bucket: s3.bucket, config }, signal));
  }, 120_000);
  afterAll(async () => {
    await close?.();
    await s3?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("it tells what it offers", async () => {
    const path = awsPlugin();
    expect(await plugins.list(signal)).toEqual(
      expect.arrayContaining([
        { kind: "ObjectStore", name: "velero.io/aws", source: "program", path },
        { kind: "VolumeSnapshotter", name: "velero.io/aws", source: "program", path },
      ]),
    );
  });

  test("its object store keeps objects in a real S3 bucket, byte for byte", async () => {
    const big = Buffer.alloc(3_000_000, "headway ");
    const [one, empty] = [key("one"), key("empty")];
    await store.put(one, big);
    await store.put(empty, new Uint8Array());
    const back = Buffer.concat(await Array.fromAsync(await store.get(one)));
    expect(back.equals(big)).toBe(true);
    // The protocol tells no sizes, and nothing is read to count them.
    expect(await store.head(one)).toEqual({ key: one });
    expect(Buffer.concat(await Array.fromAsync(await store.get(empty)))).toHaveLength(0);
    const url = (await store.signedUrl(one, 600)) ?? "";
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(big.length);
  });

  test("its object store lists, deletes, and says what is missing", async () => {
    const folderKey = `plugins/${crypto.randomUUID()}/`;
    await store.put(`${folderKey}a/x`, Buffer.from("1"));
    await store.put(`${folderKey}b/y`, Buffer.from("2"));
    const names = await Array.fromAsync(store.list(folderKey), (entry) =>
      "object" in entry ? entry.object.key : entry.prefix,
    );
    expect(names).toEqual([`${folderKey}a/x`, `${folderKey}b/y`]);
    expect(await Array.fromAsync(store.list(folderKey, { delimiter: "/" }))).toEqual([
      { prefix: `${folderKey}a/` },
      { prefix: `${folderKey}b/` },
    ]);
    expect(await store.deletePrefix(folderKey)).toBe(2);
    expect(await store.head(`${folderKey}a/x`)).toBeUndefined();
    await expect(store.get(`${folderKey}a/x`)).rejects.toMatchObject({ code: "STORE_MISSING" });
  });

  test("its object store lives on after its process was killed", async () => {
    const one = key("one");
    await store.put(one, Buffer.from("before"));
    const pids = pluginProcesses(process.pid);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    const read = async () => Buffer.concat(await Array.fromAsync(await store.get(one))).toString();
    // The call that meets the death may fail; the next has a new process.
    expect(await read().catch(read)).toBe("before");
  });

  test("its snapshotter answers what needs no cloud, and says clearly where AWS would be needed", async () => {
    const config = { region: "us-east-1", credentialsFile: join(folder, "credentials") };
    const opened = await plugins.openSnapshotter("aws", config, signal);
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv" },
      spec: { awsElasticBlockStore: { volumeID: "aws://us-east-1a/vol-0123456789abcdef0" } },
    };
    expect(await opened.plugin.getVolumeID(volume, signal)).toBe("vol-0123456789abcdef0");
    const folderVolume = { ...volume, spec: { hostPath: { path: "/x" } } };
    expect(await opened.plugin.getVolumeID(folderVolume, signal)).toBe("");
    expect(await opened.plugin.setVolumeID(volume, "vol-0fedcba9876543210", signal)).toMatchObject({
      metadata: { name: "pv" },
      spec: { awsElasticBlockStore: { volumeID: expect.stringContaining("vol-0fedcba9876543210") } },
    });
    expect("progress" in opened.plugin).toBe(false);
    const asked = opened.plugin.createSnapshot(
      { volumeID: "vol-0123456789abcdef0", volumeAZ: "us-east-1a", tags: { "velero.io/backup": "b" } },
      AbortSignal.timeout(100_000),
    );
    await expect(asked).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: expect.stringMatching(
        /^createSnapshot of plugin "velero.io\/aws" failed: .*(ec2|EC2|dial|AuthFailure)/,
      ),
    });
    await opened.close();
  }, 120_000);

  test("it refuses settings that it does not know, in its own words", async () => {
    await expect(plugins.openSnapshotter("velero.io/aws", { colour: "red" }, signal)).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: expect.stringContaining("colour"),
    });
  });
});
