import { expect, test } from "vitest";
import { labels } from "./names.ts";
import { type Candidate, missingStagePods, orphanCandidate } from "./stage-pod.ts";

const options = {
  uid: "run-1",
  planUid: "plan-1",
  image: "sleeper:1",
  claims: new Set(["shop/data", "shop/logs"]),
};
const candidate = (name: string, ...claims: readonly string[]): Candidate => ({
  namespace: "shop",
  name,
  spec: {
    nodeName: "node-1",
    serviceAccountName: "seller",
    securityContext: { fsGroup: 5 },
    containers: [
      {
        name: "web",
        volumeMounts: [...claims, "cache"].map((claim) => ({ name: claim, mountPath: `/${claim}` })),
      },
    ],
    volumes: [
      ...claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } })),
      { name: "cache" },
    ],
  },
});

test("a stage pod sleeps where its model runs, with the claims to copy and nothing else", () => {
  const [pod] = missingStagePods([candidate("web", "data", "other")], [], options);
  expect(pod?.metadata.name).toMatch(/^stage-web-[0-9a-f]{5}$/);
  expect(pod?.metadata.labels).toMatchObject({
    [labels.isStagePod]: "True",
    [labels.included]: "run-1",
    [labels.migration]: "run-1",
  });
  expect(pod?.spec).toMatchObject({
    nodeName: "node-1",
    serviceAccountName: "seller",
    securityContext: { fsGroup: 5 },
    containers: [
      { name: "sleep-0", image: "sleeper:1", volumeMounts: [{ name: "data", mountPath: "/data" }] },
    ],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
  });
});

test("missingStagePods() makes none twice: not for claims that are held, nor for two pods with the same claims", () => {
  const both = candidate("web", "data", "logs");
  const [held] = missingStagePods([both], [], options);
  expect(
    missingStagePods([both, candidate("other", "logs"), candidate("none")], held ? [held] : [], options),
  ).toEqual([]);
  expect(missingStagePods([candidate("a", "data"), candidate("b", "data")], [], options)).toHaveLength(1);
  expect(missingStagePods([candidate("a", "data"), candidate("b", "logs")], [], options)).toHaveLength(2);
});

test("the name of a stage pod is the same for the same run, another for another, and never too long", () => {
  const name = (uid: string, of: string) =>
    missingStagePods([candidate(of, "data")], [], { ...options, uid })[0]?.metadata.name ?? "";
  expect(name("run-1", "web")).toBe(name("run-1", "web"));
  expect(name("run-1", "web")).not.toBe(name("run-2", "web"));
  expect(name("run-1", `web-${"x".repeat(250)}`).length).toBeLessThanOrEqual(63);
});

test("a claim that nothing uses gets a pod of its own", () => {
  const [pod] = missingStagePods([orphanCandidate("shop", "data")], [], options);
  expect(pod?.spec.containers?.[0]).toMatchObject({
    volumeMounts: [{ name: "stage", mountPath: "/var/data" }],
  });
});

test("a stage pod keeps who its original was, and nothing of its powers", () => {
  const original = candidate("web", "data");
  const mighty = {
    ...original,
    spec: {
      ...original.spec,
      automountServiceAccountToken: true,
      containers: (original.spec.containers ?? []).map((one) => ({
        ...one,
        securityContext: {
          privileged: true,
          capabilities: { add: ["SYS_ADMIN"] },
          allowPrivilegeEscalation: true,
          runAsUser: 7,
        },
      })),
    },
  };
  const [pod] = missingStagePods([mighty], [], options);
  expect(pod?.spec).toMatchObject({ automountServiceAccountToken: false });
  expect(JSON.parse(JSON.stringify(pod)).spec.containers[0].securityContext).toEqual({
    runAsUser: 7,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  });
});
