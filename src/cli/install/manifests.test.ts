import { expect, test } from "vitest";
import { parse } from "../parse.ts";
import { root } from "../table.ts";
import { definitions, type Manifest, program } from "./manifests.ts";

const options = { namespace: "velero", image: "headway:1" };

const io = { out: () => undefined, err: () => undefined, env: {}, terminal: undefined, color: false };

interface Pod {
  readonly serviceAccountName: string;
  readonly containers: readonly { readonly args: readonly string[]; readonly image: string }[];
}

/** The pod that a workload makes. */
function podOf(manifest: Manifest | undefined): Pod {
  return (manifest as unknown as { spec: { template: { spec: Pod } } }).spec.template.spec;
}

test("program() makes each object once, in its namespace", () => {
  const all = program(options);
  const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
  for (const { kind, metadata } of all) {
    expect(metadata.namespace, kind).toBe(kind.startsWith("Cluster") ? undefined : "velero");
  }
  expect(program({ ...options, agent: false }).map(({ kind }) => kind)).not.toContain("DaemonSet");
  expect(definitions().length).toBeGreaterThan(20);
});

test("bindings name roles and accounts that are there", () => {
  const all = program(options);
  const has = (kind: string, name: string) =>
    all.some((one) => one.kind === kind && one.metadata.name === name);
  const bindings = all.filter(({ kind }) => kind.endsWith("Binding")) as unknown as {
    roleRef: { kind: string; name: string };
    subjects: { name: string }[];
  }[];
  expect(bindings).toHaveLength(6);
  for (const { roleRef, subjects } of bindings) {
    expect(has(roleRef.kind, roleRef.name)).toBe(true);
    expect(has("ServiceAccount", subjects[0]?.name ?? "")).toBe(true);
  }
});

test("workloads run commands that this program has", async () => {
  const all = program({ ...options, controllers: ["backup", "restore"] });
  for (const kind of ["Deployment", "DaemonSet"]) {
    const { containers, serviceAccountName } = podOf(all.find((one) => one.kind === kind));
    const [container] = containers;
    expect(container?.image).toBe("headway:1");
    expect(all.some((one) => one.kind === "ServiceAccount" && one.metadata.name === serviceAccountName)).toBe(
      true,
    );
    const parsed = await parse(root, container?.args ?? [], io);
    expect(parsed?.command.name).toBe(kind === "Deployment" ? "operator" : "agent");
    expect(parsed?.input.flags["namespace"]).toBe("velero");
  }
  expect(podOf(all.find(({ kind }) => kind === "Deployment")).containers[0]?.args).toContain(
    "--controllers=backup,restore",
  );
});
