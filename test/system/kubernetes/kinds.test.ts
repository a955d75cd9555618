// kinds of their own: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apps, core, fresh, made, ns, open, refused, shut, target } from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("kinds of their own", () => {
  test.each<[string, string, Body, Body]>([
    ["a Secret", `${core}/secrets`, { stringData: { a: "b" } }, { type: "Opaque", data: { a: "Yg==" } }],
    [
      "a Service",
      `${core}/services`,
      { spec: { ports: [{ port: 80 }], selector: { a: "b" } } },
      {
        spec: {
          type: "ClusterIP",
          sessionAffinity: "None",
          ports: [{ protocol: "TCP", port: 80, targetPort: 80 }],
          ipFamilies: ["IPv4"],
          internalTrafficPolicy: "Cluster",
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      "a headless Service",
      `${core}/services`,
      { spec: { clusterIP: "None", ports: [{ port: 80 }] } },
      { spec: { clusterIP: "None", clusterIPs: ["None"] } },
    ],
    [
      "a claim",
      `${core}/persistentvolumeclaims`,
      {
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "",
          resources: { requests: { storage: "1Gi" } },
        },
      },
      {
        metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
        spec: { volumeMode: "Filesystem", storageClassName: "" },
        status: { phase: "Pending" },
      },
    ],
    [
      "a Deployment",
      `${apps}/deployments`,
      {
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } },
        },
      },
      {
        metadata: { generation: 1 },
        spec: {
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
          template: {
            spec: {
              restartPolicy: "Always",
              terminationGracePeriodSeconds: 30,
              dnsPolicy: "ClusterFirst",
              securityContext: {},
              schedulerName: "default-scheduler",
              containers: [
                { imagePullPolicy: "Always", terminationMessagePath: "/dev/termination-log", resources: {} },
              ],
            },
          },
        },
      },
    ],
    [
      "a StatefulSet",
      `${apps}/statefulsets`,
      {
        spec: {
          serviceName: "d",
          replicas: 0,
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x:1" }] } },
        },
      },
      {
        spec: {
          podManagementPolicy: "OrderedReady",
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        },
      },
    ],
    [
      "a Job",
      `/apis/batch/v1/namespaces/${ns}/jobs`,
      {
        spec: {
          suspend: true,
          template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x:1" }] } },
        },
      },
      {
        spec: {
          parallelism: 1,
          completions: 1,
          backoffLimit: 6,
          completionMode: "NonIndexed",
          podReplacementPolicy: "TerminatingOrFailed",
          manualSelector: false,
        },
      },
    ],
    ["a Role", `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`, {}, { rules: null }],
    [
      "a Lease",
      `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`,
      { spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" } },
      { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
    ],
  ])("%s gets its defaults", async (_name, path, body, want) => {
    expect(await made(path, { metadata: { name: `k${fresh()}` }, ...body })).toMatchObject(want);
  });

  test("a Pod gets its defaults, account, token and tolerations", async () => {
    const pod = await made(`${core}/pods`, {
      metadata: { name: "defaults" },
      spec: {
        nodeName: "",
        // Nobody schedules it: a pod with a node would get its grace period when it is deleted below.
        schedulerName: "nobody",
        containers: [
          {
            name: "c",
            image: "x",
            ports: [{ containerPort: 80 }],
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          },
        ],
        volumes: [{ name: "e" }, { name: "m", configMap: { name: "a" } }],
      },
    });
    expect(pod).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        serviceAccountName: "default",
        serviceAccount: "default",
        priority: 0,
        enableServiceLinks: true,
        preemptionPolicy: "PreemptLowerPriority",
        volumes: [
          { name: "e", emptyDir: {} },
          { name: "m", configMap: { name: "a", defaultMode: 420 } },
          { projected: { defaultMode: 420 } },
        ],
        containers: [
          {
            ports: [{ containerPort: 80, protocol: "TCP" }],
            env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }],
            volumeMounts: [{ readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
          },
        ],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
    expect(pod.spec.tolerations).toHaveLength(2);
    const deleted = await target.call("DELETE", `${core}/pods/defaults`);
    expect(deleted.body).toMatchObject({ kind: "Pod", metadata: { deletionGracePeriodSeconds: 0 } });
  });

  test.each<[string, string, Body, RegExp]>([
    [
      "a Pod without containers",
      `${core}/pods`,
      { spec: {} },
      /^Pod "x" is invalid: spec.containers: Required value$/,
    ],
    [
      "a Pod with a bad policy",
      `${core}/pods`,
      { spec: { containers: [{ name: "a", image: "b" }], restartPolicy: "Foo" } },
      /spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"$/,
    ],
    [
      "a Pod with two of a name",
      `${core}/pods`,
      {
        spec: {
          containers: [
            { name: "a", image: "b" },
            { name: "a", image: "b" },
          ],
        },
      },
      /spec.containers\[1\].name: Duplicate value: "a"$/,
    ],
    [
      "a mount without volume",
      `${core}/pods`,
      { spec: { containers: [{ name: "a", image: "b", volumeMounts: [{ name: "v", mountPath: "/x" }] }] } },
      /spec.containers\[0\].volumeMounts\[0\].name: Not found: "v"$/,
    ],
    [
      "a Deployment without anything",
      `${apps}/deployments`,
      { spec: {} },
      /^Deployment.apps "x" is invalid: \[spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value\]$/,
    ],
    [
      "labels that do not match",
      `${apps}/deployments`,
      {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "c" } }, spec: { containers: [{ name: "a", image: "b" }] } },
        },
      },
      /labels: Invalid value: \{"a":"c"\}: `selector` does not match template `labels`$/,
    ],
    ["a Service without ports", `${core}/services`, { spec: {} }, /spec.ports: Required value$/],
    [
      "a claim without anything",
      `${core}/persistentvolumeclaims`,
      { spec: {} },
      /spec.accessModes: Required value: at least 1 access mode is required, spec.resources\[storage\]: Required value/,
    ],
    [
      "a Job that restarts always",
      `/apis/batch/v1/namespaces/${ns}/jobs`,
      { spec: { template: { spec: { containers: [{ name: "a", image: "b" }] } } } },
      /spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"$/,
    ],
    [
      "a Namespace with a dot",
      "/api/v1/namespaces",
      { metadata: { name: "a.b" } },
      /metadata.name: Invalid value: "a.b": must not contain dots$/,
    ],
  ])("is refused: %s", async (_name, path, body, message) => {
    refused(await target.call("POST", path, { metadata: { name: "x" }, ...body }), 422, "Invalid", message);
  });
});
