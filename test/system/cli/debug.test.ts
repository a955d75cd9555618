import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { startHeadway } from "../../harness/headway-process.ts";
import { Upstream } from "../../harness/upstream.ts";

const folder = mkdtempSync(join(tmpdir(), "debug-"));
const secret = "hunter2-is-the-word";
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
  const { client, namespace } = cluster;
  await installDefinitions(client);
  await new Upstream(client, namespace).backup("nightly");
  await client.create(builtIn.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "cloud", namespace },
    stringData: { cloud: secret },
  });
  await client.create(resourceOf(kinds.BackupStorageLocation), {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "leaky", namespace, annotations: { note: `the key is ${secret}` } },
    spec: { provider: "aws", config: { password: "typed-in-here" }, objectStorage: { bucket: "b" } },
  });
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

test("debug writes objects and versions, and no secret", async () => {
  const path = join(folder, "bundle.tar.gz");
  const place = ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
  const run = startHeadway("debug", "-o", path, ...place);
  expect(await run.ended, run.said()).toBe(0);
  expect(run.lines()).toEqual([path]);
  const names = execFileSync("tar", ["tzf", path], { encoding: "utf8" });
  expect(names).toContain("headway-debug/versions.yaml");
  expect(names).toContain("headway-debug/objects/backups.velero.io.yaml");
  expect(names).not.toContain("secrets");
  const all = gunzipSync(readFileSync(path)).toString("utf8");
  expect(all).toContain("name: nightly");
  expect(all).toContain("the key is ***");
  const coded = Buffer.from(secret).toString("base64");
  for (const word of [secret, coded, "typed-in-here"]) expect(all).not.toContain(word);
  expect(statSync(path).mode & 0o077, "for nobody else to read").toBe(0);
});
