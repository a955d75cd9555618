import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** A tar of paths below a folder: sorted, without times and owners, so that the same files give the same bytes. */
export function tarOf(root: string, paths: readonly string[], ...more: readonly string[]): Buffer {
  const fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"];
  return execFileSync("tar", [...fixed, ...more, "-C", root, "-cf", "-", ...paths], { maxBuffer: 2 ** 31 });
}

/** gzip without a time in its head. */
export function zipped(content: Buffer): Buffer {
  return gzipSync(content, { level: 6 });
}

/** Files by path as one tar. */
export function tarOfFiles(files: ReadonlyMap<string, Buffer>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "headway-pack-"));
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return tarOf(
      folder,
      [...new Set([...files.keys()].map((path) => path.split("/")[0] ?? path))].toSorted(),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
