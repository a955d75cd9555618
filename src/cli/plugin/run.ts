import { randomUUID } from "node:crypto";
import { chmod, copyFile, mkdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { kinds, type ServerStatusRequest, type VolumeSnapshotLocation } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, resourceOf, sleep, systemClock } from "../../kube/index.ts";
import { type PluginInfo, Plugins } from "../../plugins/index.ts";
import { type ChosenCluster, withCluster } from "../cluster.ts";
import { type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { table } from "../render/table.ts";
import { withoutPluginImage, withPluginImage } from "./image.ts";

const requests = resourceOf(kinds.ServerStatusRequest);
const snapshotLocations = resourceOf(kinds.VolumeSnapshotLocation);
const deployments = builtIn.deployments;
/** How long the operator has to answer. */
const answerMs = 20_000;

/** What is known of a plugin: of one in the operator only its name and kind. */
type Listed = Pick<PluginInfo, "kind" | "name"> & Partial<PluginInfo>;

/** Lists the plugins of the operator, or of a folder of this machine. */
export async function listPlugins(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const found = await plugins(input, io, signal);
  const format = text(input, "output") ?? "table";
  if (format === "table") return io.out(pluginTable(found));
  if (format === "name") return io.out(found.map(({ name, path }) => `${name || path}\n`).join(""));
  io.out(await (await import("../render/structured.ts")).structured(found, format));
}

/** The table of `plugin list`; what cannot be used has its reason in place of a name. */
export function pluginTable(found: readonly Listed[]): string {
  const isLocal = found.some(({ source }) => source !== undefined);
  const rows = found
    .toSorted((a, b) => (`${a.name} ${a.kind}` < `${b.name} ${b.kind}` ? -1 : 1))
    .map(({ name, kind, source = "", path = "", fault }) => [
      fault === undefined ? name : `(${fault})`,
      kind,
      ...(isLocal ? [path || source] : []),
    ]);
  return table(["NAME", "KIND", ...(isLocal ? ["FROM"] : [])], rows);
}

/** Tells what is known of one plugin. */
export async function describePlugin(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  const found = (await plugins(input, io, signal)).filter((one) => one.name === name);
  if (found.length === 0) {
    throw new AppError(
      "PLUGIN_MISSING",
      `there is no plugin "${name}"; "headway plugin list" shows what there is`,
      {
        retry: false,
      },
    );
  }
  const used = isLocal(input) ? undefined : await usedBy(input, io, name, signal);
  io.out(describeText(name, found, used));
}

/** The words of `plugin describe`. */
export function describeText(
  name: string,
  found: readonly Listed[],
  used: readonly string[] | undefined,
): string {
  const kindsOf = found.map(({ kind }) => kind).join(", ");
  const paths = [...new Set(found.flatMap(({ path, source }) => path ?? source ?? []))].join(", ");
  const isProgram = found.some(({ source }) => source === "program");
  const snapshots = found.some(({ kind }) => kind === "VolumeSnapshotter");
  const progress = isProgram
    ? "its own VolumePluginBackups if it writes them; the protocol has no question for progress"
    : "its own VolumePluginBackups, or its progress method";
  const lines: (readonly [string, string])[] = [
    ["Name", name],
    ["Kinds", kindsOf],
    ...(paths === "" ? [] : [["From", paths] as const]),
    ...(snapshots && paths !== "" ? [["Progress", progress] as const] : []),
    ...(used === undefined || !snapshots
      ? []
      : [["Snapshot locations", used.length === 0 ? "<none>" : used.join(", ")] as const]),
  ];
  const wide = Math.max(...lines.map(([label]) => label.length)) + 3;
  return lines.map(([label, value]) => `${`${label}:`.padEnd(wide)}${value}\n`).join("");
}

/** Adds an image to the operator's Deployment, or a file to a folder. */
export async function addPlugin(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [what = ""] = input.args;
  const folder = text(input, "plugin-dir");
  const isFile = (await stat(what).catch(() => undefined))?.isFile() ?? false; // not a file: an image
  if (folder !== undefined || isFile) return addFile(what, folder, isFile, io);
  const name = text(input, "deployment") ?? "headway";
  await withCluster(input, io, async ({ client, namespace }) => {
    const found = await client.get(deployments, name, { namespace }, signal);
    const policy = text(input, "image-pull-policy") ?? "IfNotPresent";
    const changed = withPluginImage(found, name, { image: what, policy });
    if (changed === undefined) return io.err(`Deployment "${name}" has ${what} already\n`);
    const patch = { type: "strategic", body: changed } as const;
    await client.patch(deployments, name, patch, { namespace }, signal);
    io.err(`${what} was added to Deployment "${name}", which starts again with it\n`);
  });
}

/** Takes an image out of the operator's Deployment, or a file out of a folder. */
export async function removePlugin(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [what = ""] = input.args;
  const folder = text(input, "plugin-dir");
  if (folder !== undefined) {
    const file = join(folder, basename(what));
    if (!((await stat(file).catch(() => undefined))?.isFile() ?? false)) {
      throw new AppError("PLUGIN_MISSING", `there is no file "${file}"`, { retry: false });
    }
    await rm(file);
    return io.err(`"${file}" was removed\n`);
  }
  const name = text(input, "deployment") ?? "headway";
  await withCluster(input, io, async ({ client, namespace }) => {
    const found = await client.get(deployments, name, { namespace }, signal);
    const body = withoutPluginImage(found, what);
    if (body === undefined) {
      throw new AppError("PLUGIN_MISSING", `Deployment "${name}" has no plugin image "${what}"`, {
        retry: false,
      });
    }
    await client.patch(deployments, name, { type: "strategic", body }, { namespace }, signal);
    io.err(`${what} was removed from Deployment "${name}", which starts again without it\n`);
  });
}

async function addFile(file: string, folder: string | undefined, isFile: boolean, io: Io): Promise<void> {
  if (folder === undefined || !isFile) {
    const why = isFile
      ? `"${file}" is a file: --plugin-dir says where to put it`
      : `there is no file "${file}"`;
    throw new AppError("USAGE", why, { retry: false });
  }
  const target = join(folder, basename(file));
  await mkdir(folder, { recursive: true });
  await copyFile(file, target);
  await chmod(target, /\.[cm]?[jt]s$/.test(file) ? 0o644 : 0o755);
  io.err(`"${file}" was copied to "${target}"\n`);
}

function isLocal(input: Input): boolean {
  return text(input, "plugin-dir") !== undefined || texts(input, "plugin").length > 0;
}

async function plugins(input: Input, io: Io, signal: AbortSignal): Promise<readonly Listed[]> {
  if (!isLocal(input)) return withCluster(input, io, (cluster) => ask(cluster, signal));
  const folder = text(input, "plugin-dir");
  const all = new Plugins({
    folders: folder === undefined ? [] : [folder],
    modules: texts(input, "plugin"),
    namespace: text(input, "namespace") ?? "velero",
    clock: systemClock,
    log: () => undefined, // what is wrong with a file is in the list
  });
  return all.list(signal);
}

async function ask({ client, namespace }: ChosenCluster, signal: AbortSignal): Promise<readonly Listed[]> {
  const name = `headway-cli-${randomUUID().slice(0, 8)}`;
  const wanted = {
    apiVersion: "velero.io/v1",
    kind: "ServerStatusRequest",
    metadata: { name, namespace },
    spec: {},
  };
  await client.create(requests, wanted, {}, signal);
  const end = systemClock.now() + answerMs;
  for (;;) {
    const { status } = await client.get<ServerStatusRequest>(requests, name, { namespace }, signal);
    if (status?.phase === "Processed") return status.plugins ?? [];
    if (systemClock.now() > end) {
      throw new AppError(
        "PLUGIN_TIMEOUT",
        `no operator answers in namespace "${namespace}"; is one running?`,
      );
    }
    await sleep(systemClock, 200, signal);
  }
}

async function usedBy(input: Input, io: Io, name: string, signal: AbortSignal): Promise<readonly string[]> {
  return withCluster(input, io, async ({ client, namespace }) => {
    const all = await client.list<VolumeSnapshotLocation>(snapshotLocations, { namespace }, signal);
    const short = name.replace(/^(velero\.io|headway\.dev)\//, "");
    return all
      .filter(({ spec }) => spec?.provider === name || spec?.provider === short)
      .map(({ metadata }) => metadata.name);
  });
}
