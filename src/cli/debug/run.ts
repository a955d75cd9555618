import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { arch, platform, release } from "node:os";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { stringify } from "yaml";
import { allKinds, type KubeObject } from "../../api/index.ts";
import { padding, tarEnd, tarHeader } from "../../engines/backup/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { builtIn, Mask, type Resource, resourceOf } from "../../kube/index.ts";
import { readPackage } from "../../package.ts";
import { type ChosenCluster, withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { hidden } from "./hidden.ts";

/** So much of each container's log; what is older rarely explains what is wrong now. */
const logLimits = { tailLines: 20_000, limitBytes: 20 << 20 };
/** What runs in the namespace of the server. */
const around: readonly Resource[] = [builtIn.pods, builtIn.deployments, builtIn.daemonSets, builtIn.events];

type File = readonly [name: string, text: string];
type Pod = KubeObject & {
  readonly spec?: { readonly containers?: readonly { readonly name: string }[] };
};

/** Writes a bundle for whoever shall help: versions, objects and logs, and no secret. */
export async function writeBundle(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const path =
    text(input, "output") ??
    `headway-debug-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}.tar.gz`;
  await withCluster(input, io, async (cluster) => {
    // Whether it can be reached is told before a file is begun.
    const server = await cluster.client.version(signal);
    const mask = await learned(cluster, io, signal);
    const bytes = archive(files(cluster, server.gitVersion, signal), mask);
    const file = createWriteStream(path, { flags: given(input, "force") ? "w" : "wx", mode: 0o600 });
    try {
      await pipeline(Readable.from(bytes), createGzip(), file, { signal });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") {
        throw new AppError("USAGE", `"${path}" exists; --force overwrites it`, {
          cause: error,
          retry: false,
        });
      }
      await rm(path, { force: true });
      throw error;
    }
  });
  io.out(`${path}\n`);
  io.err(
    "Secrets are not in it and their values are masked; look through it all the same before you pass it on\n",
  );
}

/** The values of the namespace's Secrets, to be taken out of everything; they are read for nothing else. */
async function learned({ client, namespace }: ChosenCluster, io: Io, signal: AbortSignal): Promise<Mask> {
  const mask = new Mask();
  try {
    const all = await client.list<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
      builtIn.secrets,
      { namespace },
      signal,
    );
    for (const secret of all) mask.learnSecret(secret);
  } catch (error) {
    signal.throwIfAborted();
    io.err(
      `the Secrets may not be read, so their values are not known and cannot be masked in logs: ${messageOf(error)}\n`,
    );
  }
  return mask;
}

async function* files(cluster: ChosenCluster, server: string, signal: AbortSignal): AsyncGenerator<File> {
  const { version } = await readPackage();
  const facts = {
    headway: version,
    node: process.versions.node,
    system: `${platform()} ${release()} ${arch()}`,
    server,
  };
  yield [
    "versions.yaml",
    stringify({ ...facts, namespace: cluster.namespace, at: new Date().toISOString() }),
  ];
  for (const resource of [...allKinds.map(resourceOf), ...around])
    yield* objectsOf(cluster, resource, signal);
  yield* logsOf(cluster, signal);
}

/** The objects of a kind; what cannot be read says why, since that too may be the answer. */
async function* objectsOf(
  cluster: ChosenCluster,
  resource: Resource,
  signal: AbortSignal,
): AsyncGenerator<File> {
  const name = `objects/${resource.plural}${resource.group === "" ? "" : `.${resource.group}`}.yaml`;
  const place = resource.namespaced ? { namespace: cluster.namespace } : {};
  try {
    const found = await cluster.client.list<KubeObject>(resource, place, signal);
    if (found.length > 0) yield [name, stringify(found.map(hidden), { aliasDuplicateObjects: false })];
  } catch (error) {
    signal.throwIfAborted();
    yield [`${name}.missing`, `${messageOf(error)}\n`];
  }
}

async function* logsOf({ client, namespace }: ChosenCluster, signal: AbortSignal): AsyncGenerator<File> {
  const pods = await client.list<Pod>(builtIn.pods, { namespace }, signal).catch(() => []); // its own file says why
  for (const { metadata, spec } of pods) {
    for (const { name: container } of spec?.containers ?? []) {
      const name = `logs/${metadata.name}-${container}.log`;
      try {
        const chunks = await Array.fromAsync(
          client.logs(builtIn.pods, metadata.name, { namespace, container, ...logLimits }, signal),
        );
        yield [name, Buffer.concat(chunks).toString("utf8")];
      } catch (error) {
        signal.throwIfAborted();
        yield [`${name}.missing`, `${messageOf(error)}\n`];
      }
    }
  }
}

async function* archive(all: AsyncIterable<File>, mask: Mask): AsyncGenerator<Buffer> {
  const seconds = Math.floor(Date.now() / 1000);
  for await (const [name, content] of all) {
    const bytes = Buffer.from(mask.text(content));
    yield tarHeader(`headway-debug/${name}`, bytes.length, seconds);
    yield bytes;
    yield padding(bytes.length);
  }
  yield tarEnd;
}
