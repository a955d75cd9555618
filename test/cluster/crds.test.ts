import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allKinds, apiVersionOf, type Kind } from "../../src/api/index.ts";
import { type SampleOptions, sampleOf } from "../harness/sample.ts";

const folder = join(import.meta.dirname, "../../deploy/chart/crds");
const namespace = `crds-${process.pid}`;

beforeAll(() => {
  if (!process.env["KUBECONFIG"]) throw new Error("this tier needs a cluster: set KUBECONFIG");
  kubectl(["apply", "--server-side", "--force-conflicts", "-f", folder]);
  const names = allKinds.map((kind) => `crd/${kind.plural}.${kind.group}`);
  kubectl(["wait", "--for=condition=Established", "--timeout=120s", ...names]);
  kubectl(["create", "namespace", namespace]);
});

afterAll(() => {
  // Not awaited by the server either: a bare control plane may have nobody who finishes it.
  kubectl(["delete", "namespace", namespace, "--wait=false"]);
});

describe.each(allKinds.map((kind) => [kind.kind, kind] as const))("%s", (_, kind) => {
  test("an object with every field comes back without a loss", () => {
    const sent = objectOf(kind, "full");
    expect(create(sent, "strict")).toMatchObject(sent);
    expect(fieldsOf(kind, read(kind, "full"))).toEqual(fieldsOf(kind, sent));
  });

  test("null is taken where upstream's clients send it", () => {
    const sent = objectOf(kind, "nulls", { nulls: true });
    create(sent, "strict");
    expect(fieldsOf(kind, read(kind, "nulls"))).toEqual(fieldsOf(kind, sent));
  });

  test("a field that the schema does not name is lost, so this test would see one that is missing", () => {
    create({ ...objectOf(kind, "unknown"), surprise: "field" }, "ignore");
    expect(read(kind, "unknown")).not.toHaveProperty("surprise");
  });

  test("its short names and columns are served", () => {
    for (const name of [...kind.shortNames.map((short) => `${short}.${kind.group}`), resource(kind)]) {
      const [head = ""] = kubectl(["get", name, "-n", namespace]).split("\n");
      const columns = kind.columns.filter((column) => !column.priority).map((column) => column.name);
      const wanted = ["Name", ...(columns.length > 0 ? columns : ["Age"])].map((name) => name.toUpperCase());
      expect(head.split(/\s{2,}/).map((name) => name.trim())).toEqual(wanted);
    }
  });

  test("it has a status subresource only where upstream has one", () => {
    const patch = ["patch", resource(kind), "full", "-n", namespace, "--type=merge", "-p", "{}"];
    const subresource = () => kubectl([...patch, "--subresource=status"]);
    if (kind.statusSubresource) expect(subresource).not.toThrow();
    else expect(subresource).toThrow(/NotFound|not found/);
    expect(kubectl(patch)).toContain("patched");
  });
});

/** An object with every field of its kind. */
function objectOf(kind: Kind, name: string, options: SampleOptions = {}) {
  const fields = sampleOf({ type: "object", properties: kind.fields }, options) as Record<string, unknown>;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, namespace }, ...fields };
}

function fieldsOf(kind: Kind, object: Record<string, unknown>) {
  return Object.fromEntries(Object.keys(kind.fields).map((field) => [field, object[field]]));
}

function create(object: object, validate: "strict" | "ignore"): Record<string, unknown> {
  return JSON.parse(
    kubectl(["create", `--validate=${validate}`, "-o", "json", "-f", "-"], JSON.stringify(object)),
  );
}

function read(kind: Kind, name: string): Record<string, unknown> {
  return JSON.parse(kubectl(["get", resource(kind), name, "-n", namespace, "-o", "json"]));
}

function resource(kind: Kind): string {
  return `${kind.plural}.${kind.version}.${kind.group}`;
}

function kubectl(args: readonly string[], input = ""): string {
  return execFileSync("kubectl", args, { input, encoding: "utf8", stdio: "pipe", timeout: 150_000 });
}
