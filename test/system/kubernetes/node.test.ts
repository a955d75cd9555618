import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { running, sleepOf } from "../../harness/processes.ts";
import { type Body, embedded, type Target, until } from "./request.ts";

const pods = "/api/v1/namespaces/default/pods";
let target: Target;

beforeAll(async () => {
  target = await embedded({ node: true });
});

afterAll(async () => {
  await target.close();
});

const mounts = spawnSync("unshare", ["-m", "true"]).status === 0;
const why = mounts ? "" : " (skipped: this system allows no mount namespaces)";

function shell(script: string, more: object = {}): Body {
  return { name: "c", image: "local/tools:1", command: ["sh", "-c", script], ...more };
}

async function run(name: string, spec: Body): Promise<void> {
  const { code, text } = await target.call("POST", pods, {
    metadata: { name },
    spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 1, ...spec },
  });
  expect(code, text).toBe(201);
}

const phase = (name: string, ...wanted: string[]): Promise<Body> =>
  until(
    async () => (await target.call("GET", `${pods}/${name}`)).body,
    (pod) => wanted.includes(pod.status.phase),
  );
const ready = (name: string): Promise<Body> =>
  until(
    async () => (await target.call("GET", `${pods}/${name}`)).body,
    (pod) => pod.status.conditions?.some((c: Body) => c.type === "Ready" && c.status === "True"),
  );
const log = async (name: string, query = ""): Promise<string> =>
  (await target.call("GET", `${pods}/${name}/log${query}`)).text;
const gone = (path: string): Promise<unknown> =>
  until(
    async () => (await target.call("GET", path)).code,
    (code) => code === 404,
  );

describe("a pod", () => {
  test("runs to its end and tells exit code, message and log", async () => {
    await run("ends", {
      containers: [shell("echo out; echo err >&2; echo -n why > /dev/termination-log; exit 3")],
    });
    const pod = await phase("ends", "Failed");
    expect(pod.status.containerStatuses[0].state.terminated).toMatchObject(
      mounts ? { exitCode: 3, reason: "Error", message: "why" } : { exitCode: 3, reason: "Error" },
    );
    expect((await log("ends")).split("\n").toSorted()).toEqual(["", "err", "out"]);
    expect(await log("ends", "?tailLines=1")).toMatch(/^(out|err)\n$/);
    expect(await log("ends", "?timestamps=true")).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (out|err)\n/);
  });

  test("runs its init containers first, one after the other", async () => {
    await run("inits", {
      initContainers: [
        {
          ...shell("echo 1 >> /shared/file"),
          name: "one",
          volumeMounts: [{ name: "shared", mountPath: "/shared" }],
        },
        {
          ...shell("echo 2 >> /shared/file"),
          name: "two",
          volumeMounts: [{ name: "shared", mountPath: "/shared" }],
        },
      ],
      containers: [shell("cat /shared/file", { volumeMounts: [{ name: "shared", mountPath: "/shared" }] })],
      volumes: [{ name: "shared", emptyDir: {} }],
    });
    const pod = await phase("inits", "Succeeded", "Failed");
    if (mounts) expect([pod.status.phase, await log("inits")]).toEqual(["Succeeded", "1\n2\n"]);
  });

  test("gets its environment from values, fields, ConfigMaps and Secrets", async () => {
    await target.call("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "env" },
      data: { A: "from-map" },
    });
    await target.call("POST", "/api/v1/namespaces/default/secrets", {
      metadata: { name: "env" },
      stringData: { B: "from-secret" },
    });
    await run("env", {
      containers: [
        shell('echo "$A|$B|$C|$D|$E"', {
          envFrom: [{ configMapRef: { name: "env" } }],
          env: [
            { name: "B", valueFrom: { secretKeyRef: { name: "env", key: "B" } } },
            { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "D", value: "$(C)-d" },
            { name: "E", valueFrom: { configMapKeyRef: { name: "none", key: "x", optional: true } } },
          ],
        }),
      ],
    });
    await phase("env", "Succeeded");
    expect(await log("env")).toBe("from-map|from-secret|env|env-d|\n");
  });

  test.skipIf(!mounts)(`sees ConfigMaps, Secrets and its account at their mount paths${why}`, async () => {
    await target.call("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "files" },
      data: { "a.txt": "map" },
    });
    await target.call("POST", "/api/v1/namespaces/default/secrets", {
      metadata: { name: "files" },
      stringData: { "b.txt": "secret" },
    });
    await run("files", {
      containers: [
        shell(
          "cat /etc/absent/deep/a.txt /secrets/b.txt; ls /var/run/secrets/kubernetes.io/serviceaccount; touch /secrets/x || echo read-only",
          {
            volumeMounts: [
              { name: "map", mountPath: "/etc/absent/deep" },
              { name: "secret", mountPath: "/secrets", readOnly: true },
            ],
          },
        ),
      ],
      volumes: [
        { name: "map", configMap: { name: "files" } },
        { name: "secret", secret: { secretName: "files" } },
      ],
    });
    await phase("files", "Succeeded", "Failed");
    const text = await log("files");
    for (const word of ["mapsecret", "ca.crt", "namespace", "token", "read-only"])
      expect(text).toContain(word);
    expect(existsSync("/etc/absent"), "the host must not be touched").toBe(false);
  });

  test.skipIf(!mounts)(`that is deleted and made again finds the data of its claim${why}`, async () => {
    const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    await target.call("POST", claims, {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const spec = (script: string): Body => ({
      containers: [shell(script, { volumeMounts: [{ name: "d", mountPath: "/data" }] })],
      volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }],
    });
    await run("writer", spec("echo kept > /data/file"));
    await phase("writer", "Succeeded");
    await target.call("DELETE", `${pods}/writer`);
    await gone(`${pods}/writer`);
    await run("writer", spec("cat /data/file; sleep 1000"));
    const pod = await ready("writer");
    expect(
      await until(
        () => log("writer"),
        (text) => text !== "",
      ),
    ).toBe("kept\n");
    // where a node agent looks for it
    const { podsDir = "" } = target.plane?.node ?? {};
    const volumes = join(podsDir, pod.metadata.uid, "volumes", "kubernetes.io~local-volume");
    const [volume = ""] = readdirSync(volumes);
    expect(readFileSync(join(volumes, volume, "file"), "utf8")).toBe("kept\n");
    await target.call("DELETE", `${claims}/data`);
    expect(
      (await target.call("GET", `${claims}/data`)).body.metadata.deletionTimestamp,
      "held by the pod",
    ).toBeDefined();
    await target.call("DELETE", `${pods}/writer`);
    await gone(`${claims}/data`);
    await gone(`/api/v1/persistentvolumes/${volume}`);
  });

  test("is ended with its children when it is deleted", async () => {
    const sleep = sleepOf(12_345);
    await run("long", { containers: [shell(`${sleep} & ${sleep}`)] });
    await ready("long");
    await until(
      async () => running(sleep),
      (count) => count === 2,
    );
    const started = Date.now();
    await target.call("DELETE", `${pods}/long`);
    await gone(`${pods}/long`);
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(running(sleep)).toBe(0);
  });

  test("is restarted when its policy says so, and counts", async () => {
    await run("again", {
      restartPolicy: "OnFailure",
      containers: [shell("[ -e /tmp/headway-again-$$ ]; exit 1")],
    });
    const pod = await until(
      async () => (await target.call("GET", `${pods}/again`)).body,
      (p) => (p.status.containerStatuses?.[0]?.restartCount ?? 0) > 0,
    );
    expect(pod.status.containerStatuses[0].lastState.terminated.exitCode).toBe(1);
    expect(await log("again", "?previous=true")).toBe("");
    await target.call("DELETE", `${pods}/again`);
  });

  test("without a command waits and says why", async () => {
    await run("image", { containers: [{ name: "c", image: "nginx:1" }] });
    const pod = await until(
      async () => (await target.call("GET", `${pods}/image`)).body,
      (p) => p.status.containerStatuses?.[0]?.state.waiting?.message !== undefined,
    );
    expect(pod.status.containerStatuses[0].state.waiting.message).toContain("images are not pulled");
    await target.call("DELETE", `${pods}/image`);
  });
});

describe("workloads", () => {
  const template = (labels: object, script = "sleep 1000"): Body => ({
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 1, containers: [shell(script)] },
  });

  test("a Deployment rolls its pods over and scales", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await target.call("POST", path, {
      metadata: { name: "web" },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template({ app: "web" }) },
    });
    const available = (n: number): Promise<Body> =>
      until(
        async () => (await target.call("GET", `${path}/web`)).body,
        (d) => d.status.availableReplicas === n && d.status.updatedReplicas === n && d.status.replicas === n,
      );
    await available(2);
    await target.call(
      "PATCH",
      `${path}/web`,
      { spec: { template: { spec: { containers: [{ name: "c", command: ["sh", "-c", "sleep 1001"] }] } } } },
      { type: "application/strategic-merge-patch+json" },
    );
    await until(
      async () =>
        (await target.call("GET", `${path}/web`)).body.metadata.annotations[
          "deployment.kubernetes.io/revision"
        ],
      (revision) => revision === "2",
    );
    await available(2);
    await target.call(
      "PATCH",
      `${path}/web/scale`,
      { spec: { replicas: 1 } },
      { type: "application/merge-patch+json" },
    );
    await available(1);
    await target.call("DELETE", `${path}/web`);
    await until(
      async () => (await target.call("GET", `${pods}?labelSelector=app%3Dweb`)).body.items.length,
      (n) => n === 0,
    );
  });

  test("a StatefulSet makes numbered pods with claims of their own", async () => {
    const path = "/apis/apps/v1/namespaces/default/statefulsets";
    await target.call("POST", path, {
      metadata: { name: "db" },
      spec: {
        serviceName: "db",
        replicas: 2,
        selector: { matchLabels: { app: "db" } },
        template: template({ app: "db" }),
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
          },
        ],
      },
    });
    await until(
      async () => (await target.call("GET", `${path}/db`)).body.status,
      (status) => status.readyReplicas === 2,
    );
    const names = (await target.call("GET", `${pods}?labelSelector=app%3Ddb`)).body.items.map(
      (p: Body) => p.metadata.name,
    );
    expect(names).toEqual(["db-0", "db-1"]);
    const claims = (await target.call("GET", "/api/v1/namespaces/default/persistentvolumeclaims")).body.items;
    expect(claims.map((c: Body) => c.metadata.name)).toEqual(
      expect.arrayContaining(["data-db-0", "data-db-1"]),
    );
    await target.call("DELETE", `${path}/db`);
    await gone(`${pods}/db-0`);
  });

  test("a Job completes, or fails after its limit", async () => {
    const path = "/apis/batch/v1/namespaces/default/jobs";
    const job = (name: string, script: string, spec: object): Body => ({
      metadata: { name },
      spec: { ...spec, template: { spec: { restartPolicy: "Never", containers: [shell(script)] } } },
    });
    await target.call("POST", path, job("good", "true", { completions: 2, parallelism: 2 }));
    await target.call("POST", path, job("bad", "false", { backoffLimit: 1 }));
    const ended = async (name: string): Promise<Body> =>
      until(
        async () => (await target.call("GET", `${path}/${name}`)).body.status,
        (s) => s.conditions?.some((c: Body) => ["Complete", "Failed"].includes(c.type)),
      );
    expect(await ended("good")).toMatchObject({ succeeded: 2 });
    const bad = await ended("bad");
    expect(bad.failed).toBe(2);
    expect(bad.conditions.at(-1)).toMatchObject({ type: "Failed", reason: "BackoffLimitExceeded" });
  });
});
