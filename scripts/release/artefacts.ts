import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { productionPackages } from "../image-files.ts";
import { digestOf, imageConfig, layout } from "./oci.ts";
import { tarOf, tarOfFiles, zipped } from "./pack.ts";

const repository = join(import.meta.dirname, "../..");
const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";

/** The layers of the image, what changes least first: a new version of ours brings the last one alone. */
const layers = [
  { paths: ["."], without: ["./opt", "./usr/local/bin/restic", "./usr/local/bin/kopia"] },
  { paths: ["usr/local/bin/restic", "usr/local/bin/kopia"], without: [] },
  { paths: ["opt/headway/node_modules"], without: [] },
  { paths: ["opt/headway"], without: ["opt/headway/node_modules"] },
];

/** The image as a tar of an OCI layout, out of the folder that scripts/image-root.ts lays out. */
export function imageArchive(
  root: string,
  version: string,
  created: string,
): { tar: Buffer; digest: string } {
  const tars = layers.map(({ paths, without }) =>
    tarOf(root, paths, ...without.map((path) => `--exclude=${path}`)),
  );
  const config = imageConfig({ architecture: goArch(), version, created }, tars.map(digestOf));
  const blobs = tars.map((tar) => ({ mediaType: layerType, content: zipped(tar) }));
  const { files, digest } = layout(config, blobs, version);
  return { tar: tarOfFiles(files), digest };
}

/** The chart as Helm packs it, and the same as a tar of an OCI layout, as registries keep charts. */
export function chartArchives(chart: string, tag: string): { packed: Buffer; tar: Buffer; digest: string } {
  const packed = zipped(tarOf(chart, ["."], "--transform=s,^\\.,headway,"));
  const about: unknown = parse(readFileSync(join(chart, "Chart.yaml"), "utf8"));
  const config = {
    mediaType: "application/vnd.cncf.helm.config.v1+json",
    content: Buffer.from(JSON.stringify(about)),
  };
  const content = { mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", content: packed };
  const { files, digest } = layout(config, [content], tag);
  return { packed, tar: tarOfFiles(files), digest };
}

const launcher = `#!/bin/sh
# Headway with a Node of its own. Works through links, as krew makes them.
here=$(dirname "$(readlink -f "$0")")
exec "$here/node" "$here/bin/headway.js" "$@"
`;

/** A folder that runs where no Node is installed, also as a plugin of kubectl. */
export function programArchive(stage: string): Buffer {
  mkdirSync(stage, { recursive: true });
  copyFileSync(process.execPath, join(stage, "node"));
  chmodSync(join(stage, "node"), 0o755);
  for (const path of ["bin", "dist", "deploy", "package.json", "LICENSE", "README.md"]) {
    cpSync(join(repository, path), join(stage, path), { recursive: true });
  }
  const lock: unknown = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"));
  for (const path of productionPackages(lock))
    cpSync(join(repository, path), join(stage, path), { recursive: true });
  for (const name of ["headway", "kubectl-headway"]) {
    writeFileSync(join(stage, name), launcher, { mode: 0o755 });
  }
  return zipped(tarOf(stage, ["."]));
}

/** The package of npm, packed by npm; the name of its file. */
export function packForNpm(out: string): string {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", out];
  const said = execFileSync("npm", args, {
    cwd: repository,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(said) as { readonly filename: string }[];
  if (!packed) throw new Error("npm packed nothing");
  return packed.filename;
}

/** The processor as Go, Docker and krew name it. */
export function goArch(): string {
  return process.arch === "x64" ? "amd64" : process.arch;
}
