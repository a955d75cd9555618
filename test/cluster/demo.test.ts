import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubeObject, kinds } from "../../src/api/index.ts";
import { builtIn, resourceOf } from "../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../harness/cluster.ts";
import { type PipedRun, startHeadway } from "../harness/headway-process.ts";
import { makeVolumes } from "../harness/local-volumes.ts";

const { HEADWAY_HOST_PODS: hostPods, HEADWAY_TEST_IMAGE: image } = process.env;
const missing = hostPods && image ? undefined : "HEADWAY_HOST_PODS or HEADWAY_TEST_IMAGE is not set";
const minutes = 240_000;
let cluster: TestCluster;
let remove: (() => Promise<void>) | undefined;
const runs: PipedRun[] = [];

beforeAll(async () => {
  cluster = await openCluster();
});
afterAll(async () => {
  for (const run of runs) run.signal("SIGTERM");
  await Promise.all(runs.map(({ ended }) => ended));
  await remove?.();
  await cluster.close();
}, minutes);

function demo(...more: string[]) {
  const where = ["--kubeconfig", cluster.kubeconfig, "-n", cluster.namespace];
  const run = startHeadway("demo", "--fast", "--image", image ?? "", ...where, ...more);
  runs.push(run);
  return run;
}

test("headway demo on a cluster without a server says what to do, and touches nothing", async () => {
  const run = demo();
  expect(await run.ended).toBe(1);
  expect(run.said()).toContain("headway install --apply");
});

test.skipIf(missing)(
  `headway demo on a real cluster runs operator and agent here when it may${missing ? ` (${missing})` : ""}`,
  { timeout: minutes },
  async () => {
    const { client, namespace } = cluster;
    remove = await makeVolumes(client, 2);
    const [node] = await client.list<KubeObject>(builtIn.nodes);
    const run = demo("--host-pods", hostPods ?? "", "--node", node?.metadata.name ?? "");
    expect(await run.ended, `${run.said()}${run.lines().join("\n")}`).toBe(0);
    expect(run.lines().join("\n")).toContain("every byte is back");
    expect(await client.list(resourceOf(kinds.Backup), { namespace })).toEqual([]);
  },
);
