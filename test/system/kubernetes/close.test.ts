// Closing the embedded cluster ends every process that it started, whatever they were doing, before it returns.
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { running, sleepOf } from "../../harness/processes.ts";
import { type Body, embedded, until } from "./request.ts";

const pods = "/api/v1/namespaces/default/pods";

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
  const expected = [76_501, 76_502, 76_503, 76_504, 76_505].map(sleepOf);
  const [one, two, three, four = "", five = ""] = expected;
  const six = sleepOf(76_506);
  const made = [
    shell("deaf", `trap '' TERM; ${one} & wait; wait`),
    // Without a mount namespace there is no telling whose process one that left its group is.
    shell("daemon", `${mounts ? "setsid " : ""}${two} & ${three}`),
    shell("asked", four, {
      readinessProbe: { exec: { command: five.split(" ") }, timeoutSeconds: 1000 },
    }),
  ];
  for (const pod of made) expect((await target.call("POST", pods, pod)).code).toBe(201);
  await until(
    async () => expected.map(running),
    (counts) => counts.every((n) => n === 1),
  );
  const url = `${plane.url.replace("https", "wss")}${pods}/daemon/exec?${six.replace("sleep ", "command=sleep&command=")}&stdout=true`;
  const client = new WebSocket(url, "v5.channel.k8s.io", {
    ca: plane.ca,
    headers: { authorization: `Bearer ${plane.token}` },
  });
  client.on("error", () => undefined); // the cluster is closed under it
  await until(
    async () => running(six),
    (n) => n === 1,
  );
  // One is being deleted with all the time in the world, one at once.
  await target.call("DELETE", `${pods}/deaf`);
  await target.call("DELETE", `${pods}/daemon`, { gracePeriodSeconds: 0 });
  await plane.close();
  expect([...expected, six].map(running)).toEqual([0, 0, 0, 0, 0, 0]);
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
