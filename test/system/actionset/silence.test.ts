import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { ActionStage, image } from "../../harness/action-stage.ts";
import { findTestMover } from "../../harness/movers.ts";
import { SlowDoor } from "../../harness/slow-door.ts";

// Pods of a real cluster do not reach servers of this process; the operator does.
const isReal = process.env["HEADWAY_TEST_CLUSTER"] === "1";
const mover = findTestMover("kopia");
const why = "missing" in mover ? mover.missing : undefined;

let stage: ActionStage;
let door: SlowDoor;
beforeAll(async () => {
  stage = await ActionStage.open();
  // It takes connections, and nobody is behind it.
  door = await SlowDoor.before("http://127.0.0.1:1");
  stage.operator({ repositoryMs: 14_000 });
  const { client, namespace } = stage;
  await client.create(builtIn.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "keys", namespace },
    stringData: { id: "canary-id", key: "canary-key" },
  });
  const keyPair = { idField: "id", secretField: "key", secret: { name: "keys", namespace } };
  await client.create(resourceOf(kinds.Profile), {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Profile",
    metadata: { name: "silent", namespace },
    location: { type: "s3Compliant", bucket: "bucket", endpoint: door.url, region: "r" },
    credential: { type: "keyPair", keyPair },
  });
  await stage.workload("Deployment", "web", { replicas: 1 });
}, 180_000);
afterAll(async () => {
  await stage.close();
  await door.close();
});

const profile = () => ({ name: "silent", namespace: stage.namespace });

test("a store that does not answer the operator is told while it is waited for", async () => {
  const phase = { func: "LocationDelete", name: "p", args: { artifact: "a" } };
  await stage.run("location", { phases: [phase] }, { profile: profile() });
  await stage.until("location", ({ actions }) =>
    /^bucket "bucket" at .* has not answered for \d+ s$/.test(actions?.[0]?.phases?.[0]?.step ?? ""),
  );
  await stage.delete("location");
}, 180_000);

const inPods = isReal ? () => undefined : test.skipIf(why !== undefined);
inPods(
  `a repository that never answers is told while it is waited for, and fails in time${why ? ` (skipped: ${why})` : ""}`,
  async () => {
    const { namespace } = stage;
    const [pod = ""] = await stage.podsOf("web");
    const at = { namespace, backupArtifactPrefix: "p" };
    const phases = {
      stats: { func: "BackupDataStats", args: { ...at, image, backupID: "x" } },
      exec: { func: "BackupData", args: { ...at, pod, container: "main", includePath: "/tmp" } },
      check: { func: "CheckRepository", args: { backupArtifactPrefix: "p", image } },
    };
    const names = Object.keys(phases);
    // One of them is given up by its owner.
    const doomed = { ...phases.stats, name: "p" };
    await stage.run("doomed", { phases: [doomed] }, { profile: profile() });
    for (const [name, phase] of Object.entries(phases))
      await stage.run(name, { phases: [{ ...phase, name }] }, { profile: profile() });
    await stage.until("doomed", ({ actions }) => actions?.[0]?.phases?.[0]?.step === "running");
    await stage.delete("doomed");
    const all = await Promise.all(names.map((name) => stage.history(name)));
    // Each mover has its own way to write the place.
    const told = /^the repository at \S*bucket\S*p\/? has not answered for \d+ s/;
    for (const history of all) {
      const steps = history.map(({ actions }) => actions?.[0]?.phases?.[0]?.step ?? "");
      expect(steps).toContainEqual(expect.stringMatching(told));
    }
    const [stats, exec, check] = all.map((history) => history.at(-1));
    for (const end of [stats, exec]) {
      expect(end).toMatchObject({ state: "failed" });
      expect(end?.error?.message).toContain("the repository did not answer within 14 s");
    }
    // To say that it is not there is what this function is for.
    expect(check?.actions?.[0]?.phases?.[0]?.output).toMatchObject({ repoUnavailable: "true" });
    await expect.poll(() => stage.pods(), { timeout: 60_000 }).toEqual([]);
    const secrets = () =>
      stage.client.list(builtIn.secrets, { namespace, labelSelector: "headway.dev/actionset-uid" });
    await expect.poll(secrets, { timeout: 60_000 }).toEqual([]);
  },
  240_000,
);
