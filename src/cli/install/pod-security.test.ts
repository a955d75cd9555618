import { expect, test } from "vitest";
import { program } from "./manifests.ts";

interface Container {
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly resources?: { readonly requests?: object; readonly limits?: object };
  readonly volumeMounts?: readonly { readonly mountPath: string }[];
}
interface Pod {
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
}

const all = program({ namespace: "velero", image: "headway:1" });
function podOf(kind: string): Pod {
  const found = all.find((one) => one.kind === kind) as unknown as { spec: { template: { spec: Pod } } };
  return found.spec.template.spec;
}

test.each(["Deployment", "DaemonSet"])("the pod of the %s is confined", (kind) => {
  const { securityContext, containers } = podOf(kind);
  expect(securityContext).toMatchObject({ seccompProfile: { type: "RuntimeDefault" } });
  for (const one of containers) {
    expect(one.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(one.resources).toMatchObject({
      requests: { cpu: "100m" },
      limits: { memory: expect.any(String) },
    });
    expect(one.volumeMounts?.map(({ mountPath }) => mountPath)).toContain("/tmp");
  }
});

test("the operator is not root, and the agent has power over files alone", () => {
  expect(podOf("Deployment").securityContext).toMatchObject({ runAsNonRoot: true });
  expect(podOf("Deployment").containers[0]?.securityContext).toMatchObject({
    capabilities: { drop: ["ALL"] },
  });
  expect(podOf("DaemonSet").containers[0]?.securityContext?.["capabilities"]).toEqual({
    drop: ["ALL"],
    add: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "MKNOD", "SETFCAP"],
  });
});
