// Closing the embedded cluster ends every process that it started, whatever they were doing, before it returns.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { type Body, embedded, until } from "./request.ts";

const pods = "/api/v1/namespaces/default/pods";

function running(args: string): number {
  const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line === args).length;
}

test("close() ends pods that go, pods that stay, commands run in them and what left its group", async () => {
  const target = await embedded({ node: true });
  const { plane } = target;
  if (!plane) throw new Error("embedded() gives a plane");
  const mounts = plane.node?.isolation !== "none";
  const shell = (name: string, script: string, more: object = {}): Body => ({
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1000,
      containers: [{ name: "c", image: "local/tools:1", command: ["sh", "-c", script], ...more }],
    },
  });
  const made = [
    shell("deaf", "trap '' TERM; sleep 76501 & wait; wait"),
    // Without a mount namespace there is no telling whose process one that left its group is.
    shell("daemon", mounts ? "setsid sleep 76502 & sleep 76503" : "sleep 76502 & sleep 76503"),
    shell("asked", "sleep 76504", {
      readinessProbe: { exec: { command: ["sleep", "76505"] }, timeoutSeconds: 1000 },
    }),
  ];
  for (const pod of made) expect((await target.call("POST", pods, pod)).code).toBe(201);
  const expected = ["76501", "76502", "76503", "76504", "76505"].map((n) => `sleep ${n}`);
  await until(
    async () => expected.map(running),
    (counts) => counts.every((n) => n === 1),
  );
  const url = `${plane.url.replace("https", "wss")}${pods}/daemon/exec?command=sleep&command=76506&stdout=true`;
  const client = new WebSocket(url, "v5.channel.k8s.io", {
    ca: plane.ca,
    headers: { authorization: `Bearer ${plane.token}` },
  });
  client.on("error", () => undefined); // the cluster is closed under it
  await until(
    async () => running("sleep 76506"),
    (n) => n === 1,
  );
  // One is being deleted with all the time in the world, one at once.
  await target.call("DELETE", `${pods}/deaf`);
  await target.call("DELETE", `${pods}/daemon`, { gracePeriodSeconds: 0 });
  await plane.close();
  expect([...expected, "sleep 76506"].map(running)).toEqual([0, 0, 0, 0, 0, 0]);
  client.terminate();
  await target.close();
});

test("a pod survives that its folder is taken away: the cluster does not fall", async () => {
  const target = await embedded({ node: true });
  await target.call("POST", pods, {
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "local/tools:1", command: ["sleep", "76507"] }] },
  });
  await until(
    async () => running("sleep 76507"),
    (n) => n === 1,
  );
  const { body: pod } = await target.call("GET", `${pods}/p`);
  rmSync(`${target.plane?.node?.podsDir}/${pod.metadata.uid}/containers`, { recursive: true, force: true });
  await target.call("DELETE", `${pods}/p`);
  await until(
    async () => (await target.call("GET", `${pods}/p`)).code,
    (code) => code === 404,
  );
  await target.close();
});
