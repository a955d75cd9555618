import { type KubeObject, kinds, type MigCluster } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, Client, findAccess, isAlreadyExists, type Resource, resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import { givenFile, givenWords } from "../given-file.ts";
import type { Io } from "../io.ts";
import { createObjects, getObjects, headOf, readiness, whyNot } from "../migration/objects.ts";

const account = "headway-migration";
const resource = (
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced = true,
): Resource => ({
  group,
  version,
  plural,
  kind,
  namespaced,
});

/** Makes a cluster known: the host itself, one by its address, or one of a kubeconfig, where an account is made for it. */
export async function createCluster(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  const namespace = text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero";
  const head = headOf("MigCluster", name, namespace);
  const server = text(input, "server-namespace");
  const named = server
    ? { ...head, metadata: { ...head.metadata, annotations: { "headway.dev/server-namespace": server } } }
    : head;
  const ways = [
    given(input, "host"),
    text(input, "url") !== undefined,
    text(input, "from-kubeconfig") !== undefined,
  ];
  if (ways.filter(Boolean).length !== 1) {
    throw new AppError("USAGE", "which cluster? --host, --url or --from-kubeconfig, one of them", {
      retry: false,
    });
  }
  if (given(input, "host")) {
    await make([{ ...named, spec: { isHostCluster: true } }], input, io, name, signal);
    return;
  }
  const access =
    text(input, "url") === undefined
      ? await fromKubeconfig(input, namespace, signal)
      : await fromFlags(input);
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `migcluster-${name}`, namespace },
    data: { saToken: Buffer.from(access.token).toString("base64") },
  };
  const spec = {
    isHostCluster: false,
    url: access.url,
    serviceAccountSecretRef: { name: secret.metadata.name, namespace },
    ...(access.ca && { caBundle: Buffer.from(access.ca).toString("base64") }),
    ...(access.insecure && { insecure: true }),
  };
  await make([secret, { ...named, spec }], input, io, name, signal);
}

/** Lists clusters. */
export function getClusters(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  return getObjects(
    "MigCluster",
    {
      headings: ["NAME", "STATUS", "URL", "HOST", "WHY"],
      rowOf: ({ metadata, spec, status }) => [
        metadata.name,
        readiness(status?.conditions),
        spec?.url ?? "",
        String(spec?.isHostCluster === true),
        whyNot(status?.conditions),
      ],
    },
    { input, io },
    signal,
  );
}

/** Puts a new token into the Secret of a cluster. */
export async function renewCluster(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  const file = text(input, "token-file");
  if ((file === undefined) === (text(input, "from-kubeconfig") === undefined)) {
    throw new AppError("USAGE", "from where? --from-kubeconfig or --token-file, one of them", {
      retry: false,
    });
  }
  await withCluster(input, io, async ({ client, namespace }) => {
    const resource = resourceOf(kinds.MigCluster);
    const { metadata, spec } = await client.get<MigCluster>(resource, name, { namespace }, signal);
    const ref = spec?.serviceAccountSecretRef;
    if (!ref?.name) {
      throw new AppError("USAGE", `cluster "${name}" is the host and needs no token`, { retry: false });
    }
    const place = metadata.annotations?.["headway.dev/server-namespace"] ?? namespace;
    const token =
      file === undefined
        ? (await fromKubeconfig(input, place, signal)).token
        : await givenWords("token-file", file);
    const body = { data: { saToken: Buffer.from(token).toString("base64") } };
    const where = { namespace: ref.namespace ?? namespace };
    await client.patch(builtIn.secrets, ref.name, { type: "merge", body }, where, signal);
    // Looked at now, not in a minute.
    await client.patch(
      resource,
      name,
      { type: "merge", body: { spec: { refresh: true } } },
      { namespace },
      signal,
    );
  });
  io.err(`cluster "${name}" has a new token\n`);
}

interface Reach {
  readonly url: string;
  readonly token: string;
  readonly ca?: string | undefined;
  readonly insecure?: boolean;
}

async function make(
  objects: Parameters<typeof createObjects>[0],
  input: Input,
  io: Io,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  if (await createObjects(objects, { input, io }, signal)) io.err(`cluster "${name}" was created\n`);
}

async function fromFlags(input: Input): Promise<Reach> {
  const tokenFile = text(input, "token-file");
  if (tokenFile === undefined) throw new AppError("USAGE", "--url goes with --token-file", { retry: false });
  const caFile = text(input, "ca-file");
  return {
    url: text(input, "url") ?? "",
    token: await givenWords("token-file", tokenFile),
    ...(caFile !== undefined && { ca: (await givenFile("ca-file", caFile)).toString("utf8") }),
    insecure: given(input, "insecure"),
  };
}

/** Makes an account with all rights on the other cluster and asks for its token. */
async function fromKubeconfig(input: Input, namespace: string, signal: AbortSignal): Promise<Reach> {
  const access = await findAccess({
    kubeconfig: text(input, "from-kubeconfig"),
    context: text(input, "from-context"),
  });
  const client = new Client(access);
  try {
    const place = text(input, "server-namespace") ?? namespace;
    const put = (where: Resource, object: object) =>
      client.create(where, object, {}, signal).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    await put(builtIn.serviceAccounts, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: account, namespace: place },
    });
    await put(
      resource("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", false),
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: `${account}-${place}` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name: account, namespace: place }],
      },
    );
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: { name: account, namespace: place },
      spec: { expirationSeconds: 365 * 86_400 },
    };
    const where = { namespace: place, name: account, subresource: "token" };
    const answer = await client.create<KubeObject & { readonly status?: { readonly token?: string } }>(
      builtIn.serviceAccounts,
      request,
      where,
      signal,
    );
    return {
      url: access.server,
      token: answer.status?.token ?? "",
      ca: access.ca,
      insecure: access.insecure,
    };
  } finally {
    client.close();
  }
}
