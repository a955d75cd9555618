import { allKinds, crdOf, type KubeObject } from "../../src/api/index.ts";
import { builtIn, type Client, isAlreadyExists, type Resource } from "../../src/kube/index.ts";
import { eventually } from "./eventually.ts";

/** The endpoint of definitions. */
export const definitions = builtIn.definitions;

type Definition = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

/** Installs the definitions of all kinds, and waits until they are served. Those that are there stay as they are. */
export async function installDefinitions(client: Client): Promise<void> {
  for (const kind of allKinds) await install(client, crdOf(kind));
}

/** Defines a type that takes any spec (or `all` fields), for tests, and waits until it is served. */
export async function installDefinition(
  client: Client,
  type: Resource,
  { all = false, annotations = {} }: { all?: boolean; annotations?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const { group, version, plural, kind, namespaced } = type;
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: all ? any : { type: "object", properties: { spec: any } } };
  await install(client, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
}

async function install(client: Client, definition: KubeObject & { readonly spec?: unknown }): Promise<void> {
  await client.create(definitions, definition).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await eventually(
    () => client.get<Definition>(definitions, definition.metadata.name),
    ({ status }) =>
      status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false,
  );
}
